-- Invitations can have the role FINANCE. The table is small, so the check is fast.
alter table control.invitations drop constraint invitations_role_check, add constraint invitations_role_check check (
  role in ('ADMIN', 'DEVELOPER', 'SUPPORT', 'FINANCE', 'READ_ONLY'));
