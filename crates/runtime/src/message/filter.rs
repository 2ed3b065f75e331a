//! Filters of messages: what passes, and how programs write and read them.

use reprise_d3d12::types::{
    D3D12_INFO_QUEUE_FILTER, D3D12_INFO_QUEUE_FILTER_DESC, D3D12_MESSAGE_CATEGORY, D3D12_MESSAGE_ID,
    D3D12_MESSAGE_SEVERITY,
};

use crate::message::kind::Kind;

/// Kinds of messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct List {
    categories: Vec<D3D12_MESSAGE_CATEGORY>,
    severities: Vec<D3D12_MESSAGE_SEVERITY>,
    ids: Vec<D3D12_MESSAGE_ID>,
}

/// A filter. An empty one lets all messages pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Filter {
    allow: List,
    deny: List,
}

impl Filter {
    /// Whether a message passes: nothing denies it, and each list of allowed kinds that is not empty has it.
    pub(crate) fn passes(&self, kind: &Kind) -> bool {
        let List { categories, severities, ids } = &self.deny;
        let denied =
            categories.contains(&kind.category) || severities.contains(&kind.severity) || ids.contains(&kind.id);
        let List { categories, severities, ids } = &self.allow;
        !denied
            && (categories.is_empty() || categories.contains(&kind.category))
            && (severities.is_empty() || severities.contains(&kind.severity))
            && (ids.is_empty() || ids.contains(&kind.id))
    }

    /// Takes the entries of another one in.
    pub(crate) fn add(&mut self, other: Filter) {
        self.allow.add(other.allow);
        self.deny.add(other.deny);
    }

    /// What a program wrote; `None` where an array is missing.
    ///
    /// # Safety
    /// Arrays of the structure are null or as long as it says.
    pub(crate) unsafe fn read(filter: &D3D12_INFO_QUEUE_FILTER) -> Option<Filter> {
        // SAFETY: the caller promises the arrays.
        unsafe { Some(Filter { allow: List::read(&filter.AllowList)?, deny: List::read(&filter.DenyList)? }) }
    }

    /// Bytes that a program needs for it: the structure, and the arrays behind it.
    pub(crate) fn size(&self) -> usize {
        size_of::<D3D12_INFO_QUEUE_FILTER>() + self.allow.size() + self.deny.size()
    }

    /// Writes it for a program.
    ///
    /// # Safety
    /// There is room for [`Filter::size`] bytes.
    pub(crate) unsafe fn write(&self, out: *mut D3D12_INFO_QUEUE_FILTER) {
        // SAFETY: the caller promises the room: the structure, then both lists.
        unsafe {
            let mut at = out.add(1).cast::<u8>();
            let filter =
                D3D12_INFO_QUEUE_FILTER { AllowList: self.allow.write(&mut at), DenyList: self.deny.write(&mut at) };
            out.write(filter);
        }
    }
}

impl List {
    fn add(&mut self, other: List) {
        add(&mut self.categories, other.categories);
        add(&mut self.severities, other.severities);
        add(&mut self.ids, other.ids);
    }

    /// # Safety
    /// As [`Filter::read`].
    unsafe fn read(list: &D3D12_INFO_QUEUE_FILTER_DESC) -> Option<List> {
        // SAFETY: the caller promises the arrays.
        unsafe {
            Some(List {
                categories: read(list.pCategoryList, list.NumCategories)?,
                severities: read(list.pSeverityList, list.NumSeverities)?,
                ids: read(list.pIDList, list.NumIDs)?,
            })
        }
    }

    fn size(&self) -> usize {
        size_of_val(&*self.categories) + size_of_val(&*self.severities) + size_of_val(&*self.ids)
    }

    /// # Safety
    /// There is room for [`List::size`] bytes, which `at` goes over.
    unsafe fn write(&self, at: &mut *mut u8) -> D3D12_INFO_QUEUE_FILTER_DESC {
        // SAFETY: the caller promises the room.
        unsafe {
            D3D12_INFO_QUEUE_FILTER_DESC {
                NumCategories: self.categories.len() as u32,
                pCategoryList: write(&self.categories, at),
                NumSeverities: self.severities.len() as u32,
                pSeverityList: write(&self.severities, at),
                NumIDs: self.ids.len() as u32,
                pIDList: write(&self.ids, at),
            }
        }
    }
}

fn add<T: PartialEq>(to: &mut Vec<T>, more: Vec<T>) {
    for entry in more {
        if !to.contains(&entry) {
            to.push(entry);
        }
    }
}

/// # Safety
/// `array` is null or has `count` elements.
unsafe fn read<T: Copy>(array: *const T, count: u32) -> Option<Vec<T>> {
    match count {
        0 => Some(Vec::new()),
        _ if array.is_null() => None,
        // SAFETY: not null, so it has that many.
        _ => Some(unsafe { core::slice::from_raw_parts(array, count as usize) }.to_vec()),
    }
}

/// Null for nothing.
///
/// # Safety
/// There is room for the elements, at a place that suits them, which `at` goes over.
unsafe fn write<T: Copy>(entries: &[T], at: &mut *mut u8) -> *mut T {
    if entries.is_empty() {
        return core::ptr::null_mut();
    }
    let place = at.cast::<T>();
    // SAFETY: the caller promises the room.
    unsafe {
        place.copy_from_nonoverlapping(entries.as_ptr(), entries.len());
        *at = at.add(size_of_val(entries));
    }
    place
}
