-- Whether a checkout session shows saved cards of its payer, and whether it saves the card of a payment.
alter table checkout_sessions
  add column shows_saved_methods boolean not null default false,
  add column save_method text not null default 'off',
  add constraint known_save_method check (save_method in ('off', 'ask', 'required')) not valid;
