-- Whether invoices have tax, and when they first had. Credit for lines with tax needs their rate even if tax was turned
-- off since then.
alter table sellers
  add column tax text not null default 'none' check (tax in ('none', 'rates')),
  add column tax_used_at timestamptz;
