-- Validated apart from their creation, so that writers do not wait meanwhile.
alter table prices validate constraint metered_prices_are_short;
alter table invoice_lines validate constraint known_kind, validate constraint usage_has_a_metered_quantity;
alter table invoices validate constraint known_invoice_reason;
