-- What is known of the issuers of cards, by the first 6 to 8 digits of their numbers. The operator imports it as a whole;
-- the longest prefix decides. It belongs to the installation, not to a workspace.
create table control.card_bins (
  prefix  text primary key check (prefix ~ '^[0-9]{6,8}$'),
  country text check (country ~ '^[A-Z]{2}$'),
  issuer  text check (length(issuer) between 1 and 100),
  funding text check (funding in ('credit', 'debit', 'prepaid')),
  constraint holds_a_fact check (country is not null or issuer is not null or funding is not null)
);

-- One row: the last import.
create table control.card_bin_imports (
  is_last     boolean primary key default true check (is_last),
  prefixes    int not null check (prefixes >= 0),
  imported_at timestamptz not null
);

grant select, insert, update, delete on control.card_bins, control.card_bin_imports to switchyard_control;
