-- The constraints of 0300 also hold for the rows from before.

alter table card_tokens
  validate constraint known_type,
  validate constraint only_redirects_have_a_name;
