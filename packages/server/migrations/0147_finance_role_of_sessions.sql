-- Sessions can have the role FINANCE. The table is small, so the check is fast.
alter table control.sessions drop constraint sessions_role_check, add constraint sessions_role_check check (
  role in ('ADMIN', 'DEVELOPER', 'SUPPORT', 'FINANCE', 'READ_ONLY'));
