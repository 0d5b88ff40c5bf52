-- Validated apart from their creation, so that writers of prices do not wait meanwhile.
alter table prices validate constraint prices_scheme_check;
alter table prices validate constraint prices_have_a_unit_amount_or_tiers;
alter table prices validate constraint pricing_fits_the_scheme;
alter table prices validate constraint pricing_limits_have_an_order;
