-- Validated separately from 0650 and 0651, because this reads the whole tables without blocking writes.
alter table credit_notes validate constraint known_note_reason;
alter table credit_notes validate constraint note_credits_positive_amounts;
alter table credit_notes validate constraint void_note_stays;
alter table credit_note_lines validate constraint note_line_is_not_empty;
