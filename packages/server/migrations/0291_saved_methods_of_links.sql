-- The same for payment links, as in 0290.
alter table payment_links
  add column shows_saved_methods boolean not null default false,
  add column save_method text not null default 'off',
  add constraint known_save_method check (save_method in ('off', 'ask', 'required')) not valid;
