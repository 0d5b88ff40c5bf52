-- People can have the role FINANCE. The table is small, so the check is fast.
alter table control.people drop constraint people_role_check, add constraint people_role_check check (
  role in ('ADMIN', 'DEVELOPER', 'SUPPORT', 'FINANCE', 'READ_ONLY'));
