-- The modes of payment links, as in 0200.
alter table payment_links
  add column mode text not null default 'payment',
  add column subscription jsonb,
  add constraint known_mode check (mode in ('payment', 'subscription', 'setup')) not valid,
  drop constraint one_price,
  add constraint one_price_unless_nothing_is_charged check (
    num_nonnulls(amount, open_amount, line_items) = case mode when 'setup' then 0 else 1 end) not valid;
