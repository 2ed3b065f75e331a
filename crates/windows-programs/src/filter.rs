//! What newer Wines do about system calls from code of Windows: here they end the process.
//!
//! Proton installs a seccomp filter that takes calls from addresses below 0x7000_0000_0000 for calls of Windows; Wine from 11.5 on lets calls
//! of the C library through and looks at all others (Syscall User Dispatch). The filter here is set with system calls of this code, of which
//! no further one is allowed then. Numbers are those of x86-64 Linux.

const GETPID: usize = 39;
const PRCTL: usize = 157;
const SECCOMP: usize = 317;
const PR_SET_NO_NEW_PRIVS: usize = 38;
const SET_MODE_FILTER: usize = 1;
/// For all threads.
const TSYNC: usize = 1;

/// One instruction of a filter: `struct sock_filter`.
#[repr(C)]
struct Instruction {
    code: u16,
    holds: u8,
    fails: u8,
    value: u32,
}

/// `struct sock_fprog`.
#[repr(C)]
struct Program {
    len: u16,
    instructions: *const Instruction,
}

const LOAD_WORD: u16 = 0x20;
const IF_AT_LEAST: u16 = 0x35;
const RETURN: u16 = 0x06;
/// Where `struct seccomp_data` has the upper half of the instruction's address.
const ADDRESS_HIGH: u32 = 12;
const ALLOW: u32 = 0x7fff_0000;
const KILL_PROCESS: u32 = 0x8000_0000;

/// # Safety
/// The call touches no memory but what its arguments point to.
unsafe fn call(number: usize, arguments: [usize; 5]) -> isize {
    let result;
    // SAFETY: the kernel keeps all registers but rax, rcx and r11; the caller answers for what the call does.
    unsafe {
        std::arch::asm!(
            "syscall",
            inlateout("rax") number as isize => result,
            in("rdi") arguments[0],
            in("rsi") arguments[1],
            in("rdx") arguments[2],
            in("r10") arguments[3],
            in("r8") arguments[4],
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    result
}

/// Forbids system calls from low addresses, where code of Windows lies, to all threads of the process.
pub(crate) fn seccomp() -> bool {
    static INSTRUCTIONS: [Instruction; 4] = [
        Instruction { code: LOAD_WORD, holds: 0, fails: 0, value: ADDRESS_HIGH },
        Instruction { code: IF_AT_LEAST, holds: 1, fails: 0, value: 0x7000 },
        Instruction { code: RETURN, holds: 0, fails: 0, value: KILL_PROCESS },
        Instruction { code: RETURN, holds: 0, fails: 0, value: ALLOW },
    ];
    let program = Program { len: 4, instructions: INSTRUCTIONS.as_ptr() };
    // SAFETY: the program outlives the call that takes it.
    unsafe {
        call(PRCTL, [PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0]) == 0
            && call(SECCOMP, [SET_MODE_FILTER, TSYNC, (&raw const program) as usize, 0, 0]) == 0
    }
}

/// A system call of this code: where the filter holds, it ends the process.
pub(crate) fn raw() -> bool {
    // SAFETY: takes nothing.
    unsafe { call(GETPID, [0; 5]) > 0 }
}
