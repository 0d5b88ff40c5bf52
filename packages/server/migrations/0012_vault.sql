-- Cards. A token stands for a card once, for a quarter of an hour. What may be shown of the card lies beside the
-- token; its number lies in the vault, sealed, where the role that serves requests cannot read.
--
-- One more role of the database: switchyard_vault holds the cards, inside one workspace at a time. It reads the
-- keys of workspaces, which are sealed with a master key themselves, and nothing else outside of the vault.
do $$
begin
  if not exists (select from pg_roles where rolname = 'switchyard_vault') then
    begin
      create role switchyard_vault nologin nobypassrls;
    exception when duplicate_object or unique_violation then
      null;
    end;
  end if;
  if not pg_has_role(current_user, 'switchyard_vault', 'set') then
    grant switchyard_vault to current_user;
  end if;
end
$$;

create schema vault;
grant usage on schema vault to switchyard_vault, switchyard_due;
grant usage on schema public to switchyard_vault;

create policy vault_of_own_workspace on workspace_keys to switchyard_vault
  using (workspace_id = current_workspace()) with check (workspace_id = current_workspace());
grant select, insert on workspace_keys to switchyard_vault;

-- The row of a token also says how long its card stays: the card has the id of its token.
create table card_tokens (
  workspace_id        uuid not null,
  id                  uuid not null,
  type                text not null check (type in ('card', 'provider_token')),
  -- What may be shown: brand, last4, exp_month, exp_year, funding, country, bin.
  card                jsonb not null,
  -- The same for each token of one number in this workspace; null if we do not know the number.
  fingerprint         text,
  provider_account_id uuid,
  -- What the provider calls the card, sealed.
  provider_token      bytea,
  expires_at          timestamptz not null,
  used_at             timestamptz,
  -- When token and card go. Null: the card is kept until somebody lets go of it.
  due_at              timestamptz,
  created_at          timestamptz not null,
  primary key (workspace_id, id),
  constraint a_token_is_of_one_type check ((type = 'provider_token') = (provider_account_id is not null)
    and (type = 'provider_token') = (provider_token is not null) and (type = 'card') = (fingerprint is not null)),
  constraint only_a_used_card_is_kept check (due_at is not null or used_at is not null)
);
create index card_tokens_due on card_tokens (due_at) where due_at is not null;
-- The work is that of one workspace, and must not read through what is due in the others.
create index card_tokens_due_here on card_tokens (workspace_id, due_at) where due_at is not null;

-- In production a person of the workspace says what it means to take card numbers, before it does.
create table vault_confirmations (
  workspace_id uuid not null,
  api_token_id uuid,
  sentence     text not null,
  confirmed_at timestamptz not null,
  primary key (workspace_id)
);

do $$
declare
  name text;
begin
  foreach name in array array['card_tokens', 'vault_confirmations'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy own_workspace on %I to switchyard_app
      using (workspace_id = current_workspace()) with check (workspace_id = current_workspace())', name);
  end loop;
end
$$;
create policy due_anywhere on card_tokens for select to switchyard_due using (true);
grant select, insert, update, delete on card_tokens to switchyard_app;
grant select, insert on vault_confirmations to switchyard_app;
grant select (workspace_id, due_at) on card_tokens to switchyard_due;

create table vault.cards (
  workspace_id uuid not null,
  id           uuid not null,
  -- Number, expiry and name as JSON, sealed with the key of the workspace.
  sealed       bytea not null,
  -- When to ask whether the token still needs it, or is there at all. Null: it is kept.
  expires_at   timestamptz,
  created_at   timestamptz not null,
  primary key (workspace_id, id)
);
create index cards_expiring on vault.cards (expires_at) where expires_at is not null;
create index cards_expiring_here on vault.cards (workspace_id, expires_at) where expires_at is not null;

-- Security codes may not outlive the payment. UNLOGGED: they never reach the write-ahead log, a standby or a base
-- backup, and a crash empties the table. A deleted row stays in its page for a while, so what lies there is also
-- sealed with a key that is soon destroyed.
create unlogged table vault.security_codes (
  workspace_id uuid not null,
  card_id      uuid not null,
  -- Which of the keys below.
  period       int not null,
  sealed       bytea not null,
  expires_at   timestamptz not null,
  primary key (workspace_id, card_id)
);
create index security_codes_expiring on vault.security_codes (expires_at);

-- One key for each half hour, in the table of its number modulo three. TRUNCATE takes the file itself away: of a
-- key that is over nothing is left on the disk, where DELETE would leave the row in its page.
create unlogged table vault.code_keys_0 (period int primary key, key bytea not null check (octet_length(key) = 32));
create unlogged table vault.code_keys_1 (period int primary key, key bytea not null check (octet_length(key) = 32));
create unlogged table vault.code_keys_2 (period int primary key, key bytea not null check (octet_length(key) = 32));
grant select, insert, truncate on vault.code_keys_0, vault.code_keys_1, vault.code_keys_2 to switchyard_vault;

do $$
declare
  name text;
begin
  foreach name in array array['cards', 'security_codes'] loop
    execute format('alter table vault.%I enable row level security', name);
    execute format('alter table vault.%I force row level security', name);
    execute format('create policy own_workspace on vault.%I to switchyard_vault
      using (workspace_id = current_workspace()) with check (workspace_id = current_workspace())', name);
    execute format('create policy due_anywhere on vault.%I for select to switchyard_due using (true)', name);
    execute format('grant select, insert, update, delete on vault.%I to switchyard_vault', name);
    execute format('grant select (workspace_id, expires_at) on vault.%I to switchyard_due', name);
  end loop;
end
$$;
