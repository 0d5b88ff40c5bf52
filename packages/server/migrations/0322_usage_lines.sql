-- Lines for usage. Their quantity can be larger than that of other lines.
alter table invoice_lines
  add column metered_quantity int8,
  drop constraint known_kind,
  add constraint known_kind check (kind in ('cycle', 'one_time', 'proration_credit', 'proration_debit', 'carried',
    'usage', 'usage_correction')) not valid,
  add constraint usage_has_a_metered_quantity check ((kind in ('usage', 'usage_correction')) = (metered_quantity is not null))
    not valid;
