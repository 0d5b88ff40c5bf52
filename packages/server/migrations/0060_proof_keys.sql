-- Keys that prove addresses and secrets of payers, tokens of sessions and cookies of devices. They used to be derived from
-- the master keys, so removing an old master key broke every payment link made under it. Now they are stored, sealed with
-- a master key, and a rotation seals them anew.
create table control.proof_keys (
  -- `root`, from which the keys of all purposes are derived, or `links <fingerprint>`: a key that proved links before.
  name          text primary key,
  master_key_id text not null,
  wrapped       bytea not null,
  created_at    timestamptz not null default now()
);
grant select, insert, update on control.proof_keys to switchyard_control;
