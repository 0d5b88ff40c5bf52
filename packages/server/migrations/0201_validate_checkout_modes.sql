-- Validated apart from 0200, because this reads the whole tables without blocking writes.
alter table checkout_sessions
  validate constraint known_mode,
  validate constraint a_stored_card_has_its_customer,
  validate constraint a_setup_charges_nothing;
alter table payment_links
  validate constraint known_mode,
  validate constraint one_price_unless_nothing_is_charged;
