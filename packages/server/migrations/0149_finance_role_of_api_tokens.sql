-- API tokens can have the role FINANCE. The table is small, so the check is fast.
alter table api_tokens drop constraint api_tokens_role_check, add constraint api_tokens_role_check check (
  role in ('ADMIN', 'DEVELOPER', 'SUPPORT', 'FINANCE', 'READ_ONLY'));
