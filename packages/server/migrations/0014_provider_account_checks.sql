-- What an account of a provider is asked for, what a check of it found, and holds that end by themselves.
alter table provider_accounts
  -- What the business wants less of than the provider can do; `capabilities` is what is left.
  add column narrowing jsonb not null default '{}',
  -- What the last check found wrong; nothing, if it was passed.
  add column check_faults jsonb,
  add column secret_rotated_at timestamptz,
  add constraint a_check_has_a_time check ((checked_at is null) = (check_faults is null));
create index provider_accounts_hold_ends on provider_accounts (hold_until_at) where hold_until_at is not null;
create policy due_anywhere on provider_accounts for select to switchyard_due using (true);
grant select (workspace_id, id, hold_until_at) on provider_accounts to switchyard_due;
