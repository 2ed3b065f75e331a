//! The fence: its state behind a lock, the waits for it, and the interface.

use core::ffi::c_void;
use core::ops::{Deref, DerefMut};
use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use reprise_com::result::{E_INVALIDARG, S_OK};
use reprise_com::{Class, Object, Slots, Tables, Vtable, guard, vtable};
use reprise_d3d12::interface;
use reprise_d3d12::model::{Guid, InterfaceId};
use reprise_d3d12::types::{D3D12_FENCE_FLAGS, D3D12_MULTIPLE_FENCE_WAIT_FLAGS};

use crate::device::{Device, this as device_this};
use crate::error::code;
use crate::event::{self, Event};
use crate::fence::look::Look;
use crate::fence::model::{Model, Ticket, Wait};
#[cfg(unix)]
use crate::fence::outside;
use crate::fence::outside::Outside;
#[cfg(unix)]
use crate::fence::page::Page;
use crate::handle::sweep;
use crate::own::is_own;
use crate::{Child, Error, Result};
use reprise_gpu::loss::Listener;
use reprise_gpu::queue::{Point, QueueId};

/// The state of a fence, and its page where other devices or processes know it.
#[derive(Debug)]
struct State {
    model: Model<Point, Arc<Group>>,
    outside: Option<Outside>,
}

impl Deref for State {
    type Target = Model<Point, Arc<Group>>;

    fn deref(&self) -> &Self::Target {
        &self.model
    }
}

impl DerefMut for State {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.model
    }
}

impl State {
    /// Takes over what others have done.
    #[inline]
    fn catch_up(&mut self, fired: &mut Vec<Arc<Group>>) {
        if let Some(outside) = &mut self.outside {
            outside.catch_up(&mut self.model, fired);
        }
    }

    /// Tells others what was done here.
    #[inline]
    fn publish(&mut self) {
        if let Some(outside) = &self.outside {
            outside.publish(self.model.changes());
        }
    }
}

/// The shared part of a fence: queues hold it after the program has released the object.
#[derive(Debug)]
pub struct SharedFence {
    model: Mutex<State>,
    /// Promises, values or removal: what queues wait for.
    changed: Condvar,
    /// Queues that wait for them. It changes under the lock. To wake nobody costs a system call, too, which is spared.
    blocked: AtomicUsize,
    /// Threads of queues that want the lock. A program that asks a fence for its value, or sets it, over and over would keep them
    /// from it: whoever has just let go of a lock gets it again first.
    queues: AtomicUsize,
}

impl SharedFence {
    /// A fence with a first value.
    pub fn new(value: u64) -> SharedFence {
        SharedFence {
            model: Mutex::new(State { model: Model::new(value), outside: None }),
            changed: Condvar::new(),
            blocked: AtomicUsize::new(0),
            queues: AtomicUsize::new(0),
        }
    }

    /// The lock, for a thread of the program: those of queues come first.
    fn lock(&self) -> MutexGuard<'_, State> {
        while self.queues.load(Ordering::Relaxed) != 0 {
            std::thread::yield_now();
        }
        self.model.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The lock, for a thread of a queue.
    fn lock_first(&self) -> MutexGuard<'_, State> {
        self.queues.fetch_add(1, Ordering::Relaxed);
        let model = self.model.lock().unwrap_or_else(PoisonError::into_inner);
        self.queues.fetch_sub(1, Ordering::Relaxed);
        model
    }

    /// Takes over what the GPU has done, then acts; whoever can go on is woken after the lock is free.
    fn act<T>(&self, action: impl FnOnce(&mut Model<Point, Arc<Group>>, &mut Vec<Arc<Group>>) -> T) -> T {
        self.act_with(self.lock(), action)
    }

    fn act_with<T>(
        &self,
        mut model: MutexGuard<'_, State>,
        action: impl FnOnce(&mut Model<Point, Arc<Group>>, &mut Vec<Arc<Group>>) -> T,
    ) -> T {
        let mut fired = Vec::new();
        model.catch_up(&mut fired);
        advance(&mut model, &mut fired);
        let result = action(&mut model, &mut fired);
        model.publish();
        let blocked = self.blocked.load(Ordering::Relaxed) != 0;
        drop(model);
        if blocked {
            self.changed.notify_all();
        }
        fired.iter().for_each(|group| group.hit());
        result
    }

    /// The value now.
    pub fn value(&self) -> u64 {
        let model = self.lock();
        if !model.pending() && model.outside.is_none() {
            return model.value();
        }
        drop(model);
        self.act(|model, _| model.value())
    }

    /// The value, where no signal of the GPU is on its way.
    fn settled(&self) -> Option<u64> {
        let model = self.lock();
        (!model.pending() && model.outside.is_none()).then(|| model.value())
    }

    /// The CPU signals.
    pub fn set(&self, value: u64) {
        self.act(|model, fired| model.set(value, fired));
    }

    /// The page through which other devices and processes know the fence, from now on.
    ///
    /// # Errors
    /// The system has no memory or no thread for it.
    #[cfg(unix)]
    pub(crate) fn page(self: &Arc<Self>) -> Result<Arc<Page>> {
        let mut state = self.lock();
        if let Some(outside) = &state.outside {
            return Ok(outside.page().clone());
        }
        let page = Arc::new(Page::new(state.value())?);
        self.attach(&mut state, &page)?;
        Ok(page)
    }

    /// A fence that another device or process has.
    ///
    /// # Errors
    /// The system has no thread for it.
    #[cfg(unix)]
    fn of_page(page: Page) -> Result<Arc<SharedFence>> {
        let fence = Arc::new(SharedFence::new(page.last().1));
        fence.attach(&mut fence.lock(), &Arc::new(page))?;
        Ok(fence)
    }

    #[cfg(unix)]
    fn attach(self: &Arc<Self>, state: &mut State, page: &Arc<Page>) -> Result<()> {
        let (place, value) = page.last();
        let (fence, heard) = (Arc::downgrade(self), page.clone());
        std::thread::Builder::new()
            .name("shared fence".to_owned())
            .spawn(move || outside::listen(&heard, || fence.upgrade().map(|fence| fence.act(|_, _| ())).is_some()))
            .map_err(|_| Error::Fail("there is no thread for a shared fence"))?;
        state.settle(value);
        state.tell();
        state.outside = Some(Outside::new(page.clone(), place));
        Ok(())
    }

    /// The program has given the fence back.
    fn release(&self) {
        self.act(|model, fired| model.release(fired));
    }

    /// The device is lost.
    fn remove(&self) {
        self.act(|model, fired| model.remove(fired));
    }

    /// The program has asked a queue for a signal.
    pub fn expect(&self, queue: QueueId, value: u64) {
        self.lock().expect(queue, value);
    }

    /// Begins a queue's wait, at the program's call: the fence may reach the value and fall again before the queue looks.
    fn arm(&self, queue: QueueId, value: u64) -> Ticket {
        self.act(|model, _| model.arm(queue, value))
    }

    /// The point on which a queue that has come to a wait must let the GPU wait, `None` for none. Blocks while nobody has
    /// promised the value; `blocked` is told when that begins and ends, with the fence's lock held.
    fn resolve(&self, ticket: Ticket, blocked: &dyn Fn(bool)) -> Option<Point> {
        // What the GPU has done since need not be taken over: it is waited for on the GPU at no cost.
        let mut model = self.lock_first();
        let mut waits = false;
        let point = loop {
            match model.resolve(ticket) {
                Wait::Passed => break None,
                Wait::On(point) => break Some(point),
                Wait::Blocked => {
                    if !waits {
                        waits = true;
                        blocked(true);
                    }
                    self.blocked.fetch_add(1, Ordering::Relaxed);
                    model = self.changed.wait(model).unwrap_or_else(PoisonError::into_inner);
                    self.blocked.fetch_sub(1, Ordering::Relaxed);
                }
            }
        };
        if waits {
            blocked(false);
        }
        point
    }

    /// Hits `group` once the value is reached.
    fn watch(&self, value: u64, group: &Arc<Group>) {
        if let Some(now) = self.act(|model, _| model.watch(value, group.clone())) {
            now.hit();
        }
    }
}

impl Drop for SharedFence {
    fn drop(&mut self) {
        let state = self.model.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(outside) = &state.outside {
            outside.end();
        }
    }
}

impl reprise_gpu::queue::Fence for SharedFence {
    fn promise(&self, value: u64, point: Point) -> bool {
        self.act_with(self.lock_first(), |model, fired| {
            model.promise(point.timeline.queue, value, point);
            advance(model, fired);
            model.pending()
        })
    }

    fn advance(&self) {
        self.act_with(self.lock_first(), |_, _| ());
    }
}

impl Listener for SharedFence {
    fn lost(&self) {
        self.remove();
    }
}

/// A queue's wait that has begun.
#[derive(Debug)]
pub struct Armed {
    fence: Arc<SharedFence>,
    ticket: Ticket,
}

impl Armed {
    /// Begins the wait of a queue for a value, at the program's call.
    pub fn new(fence: &Arc<SharedFence>, queue: QueueId, value: u64) -> Armed {
        Armed { fence: fence.clone(), ticket: fence.arm(queue, value) }
    }
}

impl reprise_gpu::queue::Wait for Armed {
    fn resolve(self: Box<Self>, blocked: &dyn Fn(bool)) -> Option<Point> {
        self.fence.resolve(self.ticket, blocked)
    }
}

/// Takes over what the GPU has done.
fn advance(model: &mut Model<Point, Arc<Group>>, fired: &mut Vec<Arc<Group>>) {
    let mut look = Look::default();
    model.advance(|point| look.reached(point.timeline.queue, point.value, || point.timeline.value()), fired);
}

/// Somebody on the CPU who waits for one or more fences.
#[derive(Debug)]
pub struct Group {
    left: Mutex<usize>,
    done: Condvar,
    /// Without one, a thread is blocked in [`Group::wait`].
    event: Option<Event>,
}

impl Group {
    fn new(count: usize, handle: *mut c_void) -> Result<Arc<Group>> {
        let event = if handle.is_null() { None } else { Some(Event::of(handle)?) };
        Ok(Arc::new(Group { left: Mutex::new(count), done: Condvar::new(), event }))
    }

    /// One fence has reached its value. Hits after the last one that counts are nothing.
    fn hit(&self) {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        if *left == 0 {
            return;
        }
        *left -= 1;
        if *left == 0 {
            match &self.event {
                Some(event) => event.set(),
                None => self.done.notify_all(),
            }
        }
    }

    fn wait(&self) {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        while *left != 0 {
            left = self.done.wait(left).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Sets the event, or comes back without one, when all fences have reached their values, or any (`count` 1).
fn when(fences: &[(&SharedFence, u64)], count: usize, handle: *mut c_void) -> Result<()> {
    let group = Group::new(count, handle)?;
    for &(fence, value) in fences {
        fence.watch(value, &group);
    }
    if handle.is_null() {
        group.wait();
    }
    Ok(())
}

/// The body of `ID3D12Fence`.
#[derive(Debug)]
pub struct Fence {
    /// The device.
    pub device: Child,
    /// What queues share.
    pub state: Arc<SharedFence>,
    flags: D3D12_FENCE_FLAGS,
}

const NEWEST: InterfaceId = interface("ID3D12Fence1");

static VTABLE: Vtable<{ NEWEST.slots() as usize }> = vtable(
    NEWEST,
    Object::<Fence>::SHARED,
    &[
        ("GetCompletedValue", get_completed_value as *const c_void),
        ("SetEventOnCompletion", set_event_on_completion as *const c_void),
        ("Signal", signal as *const c_void),
        ("GetCreationFlags", get_creation_flags as *const c_void),
    ],
);

impl Class for Fence {
    const INTERFACE: InterfaceId = NEWEST;
    const VTABLE: Tables = VTABLE.tables();

    fn facet(object: &Object<Fence>, iid: &Guid) -> Option<*mut c_void> {
        is_own(iid).then(|| object.pointer())
    }

    fn released(object: &Object<Fence>) {
        if object.is_shared() {
            sweep();
        }
        object.device.release();
    }

    fn device(&self) -> Option<core::ptr::NonNull<c_void>> {
        Some(self.device.pointer())
    }
}

impl Drop for Fence {
    /// The object goes with the program's last reference. While a handle shares it, it goes when the runtime notices that the last
    /// one is closed.
    fn drop(&mut self) {
        self.state.release();
    }
}

impl Fence {
    /// As created.
    #[cfg(unix)]
    pub(crate) fn flags(&self) -> D3D12_FENCE_FLAGS {
        self.flags
    }

    /// Whether handles of it may be made.
    pub fn is_shared(&self) -> bool {
        let shared = D3D12_FENCE_FLAGS::SHARED.0 | D3D12_FENCE_FLAGS::SHARED_CROSS_ADAPTER.0;
        self.flags.0 & shared != 0
    }

    /// A fence of `device`.
    pub fn new(device: &Object<Device>, value: u64, flags: D3D12_FENCE_FLAGS) -> Fence {
        Fence::of_state(device, Arc::new(SharedFence::new(value)), flags)
    }

    /// A fence of `device` that another device or process has, too.
    ///
    /// # Errors
    /// The system has no thread for it.
    #[cfg(unix)]
    pub(crate) fn opened(device: &Object<Device>, page: Page, flags: D3D12_FENCE_FLAGS) -> Result<Fence> {
        Ok(Fence::of_state(device, SharedFence::of_page(page)?, flags))
    }

    fn of_state(device: &Object<Device>, state: Arc<SharedFence>, flags: D3D12_FENCE_FLAGS) -> Fence {
        let listener: Arc<dyn Listener> = state.clone();
        device.loss.listen(Arc::downgrade(&listener));
        if device.removed_reason() != S_OK {
            state.remove();
        }
        Fence { device: Child::new(device), state, flags }
    }
}

/// Methods of the device that make or ask about these.
pub(super) const DEVICE_METHODS: &Slots = &[
    ("CreateFence", create_fence as *const c_void),
    ("SetEventOnMultipleFenceCompletion", set_event_on_multiple as *const c_void),
];

unsafe extern "C" fn create_fence(
    device: *mut c_void,
    value: u64,
    flags: D3D12_FENCE_FLAGS,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    guard(E_INVALIDARG, || {
        if iid.is_null() {
            return E_INVALIDARG;
        }
        // Flags of sharing change nothing but that handles can be made.
        // SAFETY: the slot is of a device's vtable, and the reference that the program calls through keeps the device; `iid` is not null
        // and readable, `out` null or room for a pointer.
        unsafe { Object::make(Fence::new(device_this(device), value, flags)).give(&*iid, out) }
    })
}

unsafe extern "C" fn get_completed_value(fence: *mut c_void) -> u64 {
    // SAFETY: a fence of ours.
    guard(0, || unsafe { Object::<Fence>::this(fence) }.state.value())
}

unsafe extern "C" fn set_event_on_completion(fence: *mut c_void, value: u64, handle: *mut c_void) -> i32 {
    guard(E_INVALIDARG, || {
        // SAFETY: a fence of ours.
        let state = &unsafe { Object::<Fence>::this(fence) }.state;
        // The wait of a thread that blocks looks at the GPU by itself: to look before would cost a call of the driver twice.
        let now = if handle.is_null() { state.settled() } else { Some(state.value()) };
        if now.is_some_and(|now| now >= value) {
            if !handle.is_null() {
                event::set(handle);
            }
            return S_OK;
        }
        code(when(&[(state, value)], 1, handle))
    })
}

unsafe extern "C" fn signal(fence: *mut c_void, value: u64) -> i32 {
    guard(E_INVALIDARG, || {
        // SAFETY: a fence of ours.
        unsafe { Object::<Fence>::this(fence) }.state.set(value);
        S_OK
    })
}

unsafe extern "C" fn get_creation_flags(fence: *mut c_void) -> D3D12_FENCE_FLAGS {
    // SAFETY: a fence of ours.
    unsafe { Object::<Fence>::this(fence) }.flags
}

unsafe extern "C" fn set_event_on_multiple(
    _device: *mut c_void,
    fences: *const *mut c_void,
    values: *const u64,
    count: u32,
    flags: D3D12_MULTIPLE_FENCE_WAIT_FLAGS,
    handle: *mut c_void,
) -> i32 {
    guard(E_INVALIDARG, || {
        if count == 0 || fences.is_null() || values.is_null() || flags.0 & !D3D12_MULTIPLE_FENCE_WAIT_FLAGS::ANY.0 != 0
        {
            return E_INVALIDARG;
        }
        let count = count as usize;
        // SAFETY: arrays of the program, as long as it says.
        let (fences, values) =
            unsafe { (core::slice::from_raw_parts(fences, count), core::slice::from_raw_parts(values, count)) };
        let mut all = Vec::with_capacity(count);
        for (&fence, &value) in fences.iter().zip(values) {
            // SAFETY: null or a COM pointer of the program.
            match unsafe { Object::<Fence>::from_pointer(fence) } {
                Some(fence) => all.push((&*fence.state, value)),
                None => return code(Err(Error::Invalid("a fence is null or of another runtime"))),
            }
        }
        let any = flags.0 & D3D12_MULTIPLE_FENCE_WAIT_FLAGS::ANY.0 != 0;
        code(when(&all, if any { 1 } else { count }, handle))
    })
}
