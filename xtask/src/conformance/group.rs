//! Process groups: what a process of this task starts ends with it.

/// Kills a process group that one of this task's processes leads.
pub(super) fn end_group(leader: u32) {
    if let Ok(group) = libc::pid_t::try_from(leader)
        && group > 1
    {
        // SAFETY: sends a signal to the process group that was made for the leader; no memory is involved. The leader has not been waited
        // for, so the number belongs to that group.
        unsafe { libc::kill(-group, libc::SIGKILL) };
    }
}
