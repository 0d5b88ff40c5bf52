/**
 * The catalogue of all API errors. The responses, the OpenAPI document, the pages in docs/reference/errors
 * and the SDK error classes are all generated from it, so they cannot disagree.
 */

export type ErrorDefinition = {
  readonly status: number
  /** Whether the identical request, with the same idempotency key, may succeed later. */
  readonly retryable: boolean
  readonly title: string
  /** The default sentence. A refusal can override it with a more specific one. */
  readonly detail: string
  readonly cause: string
  readonly fix: string
}

// biome-ignore format: a catalogue is easier to compare in rows of equal shape.
export const errors = {
  invalid_json: { status: 400, retryable: false, title: 'The body is not valid JSON',
    detail: 'The body is not valid JSON.',
    cause: 'The body is not valid JSON or not UTF-8, contains the same member twice, is nested deeper than 32 levels, or contains a character that cannot be stored (NUL, or an unpaired surrogate).',
    fix: 'Serialize the body with a JSON library and send it as UTF-8. `detail` names the first error and its position.' },
  invalid_request: { status: 400, retryable: false, title: 'Invalid request',
    detail: 'The request is not valid.',
    cause: 'A member of the body, the query, the path or a header does not match the schema of the operation. Unknown members are rejected, so that a misspelled name is never ignored.',
    fix: 'Each entry of `errors` describes one invalid member: `pointer` says where it is, `code` and `detail` say what is wrong. The top-level `detail` repeats the first one.' },
  invalid_cursor: { status: 400, retryable: false, title: 'The cursor is not valid',
    detail: 'A cursor must be the id of an object in the list.',
    cause: '`starting_after` or `ending_before` is not an id of the listed kind, or the cursor of an event stream is malformed or older than the retention period of events.',
    fix: 'Pass the `id` of the first or last object of the current page. Start an event stream without a cursor, or with `since`.' },
  unknown_version: { status: 400, retryable: false, title: 'Unknown API version',
    detail: 'The header Switchyard-Version names a version that does not exist.',
    cause: 'The header `Switchyard-Version`, or the version set for the workspace, is not a published API version.',
    fix: 'Omit the header to use the version of your workspace, or send a version from the changelog.' },
  invalid_idempotency_key: { status: 400, retryable: false, title: 'The idempotency key is not valid',
    detail: 'An Idempotency-Key must be 1 to 255 visible ASCII characters.',
    cause: 'The header `Idempotency-Key` is empty, too long, or contains a character that is not visible ASCII.',
    fix: 'Use a random UUID, or a key of your own such as `order-4711`.' },
  token_missing: { status: 401, retryable: false, title: 'API token missing',
    detail: 'Send your API token in the header "Authorization: Bearer <token>".',
    cause: 'The request has no `Authorization` header, or the header does not begin with `Bearer `.',
    fix: 'Add the header `Authorization: Bearer <API_KEY>`.' },
  token_invalid: { status: 401, retryable: false, title: 'The API token is not valid',
    detail: 'The API token is not valid: it is misspelled, truncated, rolled or revoked.',
    cause: 'The token is misspelled or truncated, or it was rolled or revoked.',
    fix: 'Copy the token again, or create a new one. `npm run setup` prints a development token.' },
  token_expired: { status: 401, retryable: false, title: 'The API token has expired',
    detail: 'The API token has expired.',
    cause: 'The token has passed its `expires_at`, or it was rolled and its overlap period has ended.',
    fix: 'Use the newer token, or create one.' },
  token_wrong_address: { status: 401, retryable: false, title: 'The token belongs to the other environment',
    detail: 'Use live tokens at the live address and test tokens at the test address.',
    cause: 'A test token was sent to the live address, or a live token to the test address.',
    fix: 'Send the request to the address in `detail`.' },
  provider_signature_invalid: { status: 401, retryable: false, title: 'The provider signature is not valid',
    detail: 'The message is not signed with a secret of this provider account.',
    cause: 'A message to a `webhook_url` has no signature, a signature made with another secret or over another body, or a signature older than five minutes.',
    fix: 'Use one of the account\'s secrets to sign the exact bytes you send, and check the clock of the sender.' },
  mail_event_unauthorized: { status: 401, retryable: false, title: 'The e-mail webhook is not authenticated',
    detail: 'The e-mail webhook has no valid credentials or signature.',
    cause: 'A webhook to `/mail-events/postmark` has the wrong user name or password, a webhook to `/mail-events/amazon-ses` is not signed by Amazon SNS with signature version 2 or belongs to a topic that is not configured, or `/mail-events/return-path` is called without the setting `MAIL_RETURN_PATH`.',
    fix: 'Compare the settings `MAIL_EVENTS_POSTMARK`, `MAIL_EVENTS_SES_TOPICS` and `MAIL_RETURN_PATH` with those of the mail service.' },
  session_required: { status: 401, retryable: false, title: 'Not signed in',
    detail: 'Sign in first.',
    cause: 'A dashboard request had no session, or the session has ended: signed out, idle for one hour (15 minutes if production accepts card numbers), or older than twelve hours.',
    fix: 'Sign in to the dashboard. The API does not accept sessions: use an API token there.' },
  sign_in_refused: { status: 401, retryable: false, title: 'Sign-in failed',
    detail: 'Wrong email, password or code. If you use an authenticator app, enter its code as well.',
    cause: 'The email, the password, the code or the link is wrong or was already used, or the second factor code is missing. The error does not say which, so that it reveals neither who has an account nor whether a password is correct.',
    fix: 'Try again, with `code` if the person has a second factor. An ADMIN of your organization can invite you again; the operator can create a sign-in link with the command `sign-in-link`.' },
  second_factor_required: { status: 401, retryable: false, title: 'Second factor required',
    detail: 'Enter the code from your authenticator app, or a recovery code.',
    cause: 'The person has a second factor, and this browser has signed in as this person before. The password was not checked yet. Other browsers get `sign_in_refused`.',
    fix: 'Send the same request again with `code`.' },
  checkout_secret_invalid: { status: 401, retryable: false, title: 'The checkout session secret is not valid',
    detail: 'The header Checkout-Secret does not contain the secret of this checkout session.',
    cause: 'A request for a checkout session had no secret, a truncated secret, or the secret of another session.',
    fix: 'Open the payment link again. The secret is the part after `#` in the URL of the checkout session.' },
  login_code_invalid: { status: 422, retryable: false, title: 'The code is not valid',
    detail: 'The code is wrong or has expired.',
    cause: 'The payer entered a different code than the one in the e-mail, more than ten minutes have passed, or five codes were wrong. The same error is returned if the address belongs to no customer, so that it reveals nothing.',
    fix: 'Enter the code from the latest e-mail, or request another code.' },
  download_link_invalid: { status: 403, retryable: false, title: 'The download link is not valid',
    detail: 'The download link has expired or is incomplete.',
    cause: 'A download link works for 15 minutes, and only while the file is stored. It is signed, so an incomplete or changed link is refused.',
    fix: 'Get a new link with `GET /exports/{export_id}/download`, or create the export again.' },
  payment_failed: { status: 402, retryable: false, title: 'The payment failed',
    detail: 'The payment failed.',
    cause: 'The bank or the provider declined the payment, or no provider could process it. `decline_code` is the reason, `advice_code` says what the payer can do.',
    fix: 'Show the payer the text for `advice_code`. To charge another card, create a new payment: repeating this request returns the same error.' },
  payment_method_declined: { status: 402, retryable: false, title: 'The card could not be verified',
    detail: 'The card could not be verified.',
    cause: 'The bank or the provider declined the verification, or no provider could verify the card. No payment method was created; `resource_id` is the payment that attempted the verification. `decline_code` is the reason, `advice_code` says what the payer can do.',
    fix: 'Show the payer the text for `advice_code`. A card token can be used once: create a new token for the next attempt.' },
  role_not_allowed: { status: 403, retryable: false, title: 'Role not allowed',
    detail: 'The role of the token does not allow this operation.',
    cause: 'Every operation lists the roles that may call it, and the role of the token is not one of them.',
    fix: 'Use a token with one of the roles in `detail`. The roles reference lists the roles of every operation.' },
  publishable_token_not_allowed: { status: 403, retryable: false, title: 'Publishable tokens cannot call this operation',
    detail: 'This operation requires a secret token.',
    cause: 'Publishable tokens are public, so they can only call the operations that a payment page needs.',
    fix: 'Call this operation from your server with a secret token.' },
  foreign_origin: { status: 403, retryable: false, title: 'Origin not allowed',
    detail: 'Only the dashboard may call this endpoint.',
    cause: 'A page of another origin, or a client that sent no origin, called an operation that is reserved for the dashboard.',
    fix: 'Open the dashboard at the address in `DASHBOARD_BASE_URL`. Programs must call the API with a token.' },
  fresh_proof_required: { status: 403, retryable: false, title: 'Confirm your password',
    detail: 'Enter your password again, or sign in again.',
    cause: 'Changing a passkey or an authenticator requires the password, or a session that is less than five minutes old. This protects the account if someone else uses an unlocked browser.',
    fix: 'Send the same request again with `password`, or sign in again and repeat it within five minutes.' },
  live_mode_only: { status: 403, retryable: false, title: 'Available in production only',
    detail: 'People belong to the whole organization: a test token cannot change them.',
    cause: 'A test token called an operation that affects production.',
    fix: 'Use a live token at the live address, or the dashboard.' },
  test_mode_only: { status: 403, retryable: false, title: 'Available in the test environment only',
    detail: 'This operation is available in the test environment only.',
    cause: 'A live token used a feature that exists for tests only, such as a simulator account.',
    fix: 'Use a test token at the test address.' },
  raw_cards_disabled: { status: 403, retryable: false, title: 'Card numbers are not accepted',
    detail: 'This workspace does not accept card numbers.',
    cause: 'A card number was sent to production, or to a workspace that collects cards elsewhere (`card_data.mode` of the workspace is not `own_vault`). The card number was discarded. In production the vault is off until the operator enables it and an ADMIN of the workspace confirms the PCI DSS responsibilities. The error also occurs when you create a payment link or a checkout session whose page could not take a card, because no provider account or vault has the public key that its card fields need.',
    fix: 'Create the payment with `provider_token`, the token that your provider\'s card fields return, or with `vault_token`, the token of your card vault. For payment links and checkout sessions, add the public key to a provider account or the vault. To accept card numbers yourself, call `GET /vault`: it lists the missing steps.' },
  not_found: { status: 404, retryable: false, title: 'Not found',
    detail: 'There is no such object.',
    cause: 'The id is misspelled, belongs to another kind of object, another workspace or the other environment, or the object was deleted.',
    fix: 'Check the prefix of the id: it names the kind of object, and `_test_` marks the test environment.' },
  unknown_path: { status: 404, retryable: false, title: 'Unknown path',
    detail: 'There is no operation at this path.',
    cause: 'The path is misspelled.',
    fix: 'Look up the operation at `/docs`.' },
  method_not_allowed: { status: 405, retryable: false, title: 'Method not allowed',
    detail: 'The path does not support this method.',
    cause: 'The path exists, but does not support this HTTP method.',
    fix: 'The response header `Allow` lists the methods of this path.' },
  invalid_state: { status: 409, retryable: false, title: 'Not possible in the current status',
    detail: 'Not possible in the current status.',
    cause: 'The status of the object does not allow this action.',
    fix: '`current_status` is the status of the object, `allowed_actions` lists the actions that are possible now.' },
  settlement_import_running: { status: 409, retryable: true, title: 'Another settlement file is being uploaded',
    detail: 'Another settlement file is being uploaded. Retry later.',
    cause: 'Files are uploaded one at a time per installation, because they load the database. After an interrupted upload, others can start one minute later.',
    fix: 'Upload the file again after the time in the header `Retry-After`.' },
  payment_disputed: { status: 409, retryable: false, title: 'The payment is disputed',
    detail: 'The payment is disputed.',
    cause: 'The cardholder disputes the payment with their bank, or has won such a dispute. A refund would return the same money a second time.',
    fix: 'Refund at most the amount that is not disputed. `GET /disputes?payment_id=` lists the disputes of the payment. A won dispute, or an inquiry, does not prevent refunds.' },
  disputes_not_supported: { status: 409, retryable: false, title: 'The provider does not support this dispute action',
    detail: 'The provider of this dispute does not support this action through its API. Respond in the dashboard of the provider.',
    cause: 'Not every provider accepts responses to disputes, or can be queried about them, through its API. A custom provider needs `features.disputes` in its manifest.',
    fix: 'Respond in the dashboard of the provider. Its webhooks update the dispute.' },
  evidence_invalid: { status: 409, retryable: false, title: 'The evidence cannot be submitted',
    detail: 'The dispute has no evidence.',
    cause: 'The dispute has no evidence, or the provider does not accept evidence of this kind.',
    fix: 'Change the evidence as `detail` says, with `PUT /disputes/{dispute_id}`, and submit it again.' },
  test_clock_advancing: { status: 409, retryable: true, title: 'The test clock is advancing',
    detail: 'The test clock is advancing.',
    cause: 'The object belongs to a test clock that is being advanced. It cannot be changed until the clock has stopped.',
    fix: 'Wait until the clock is `ready`, or for the event `test_clock.ready`, and repeat the request.' },
  conflict: { status: 409, retryable: true, title: 'The object was modified concurrently',
    detail: 'The object was modified concurrently.',
    cause: 'Several requests changed the same object concurrently, and this one could not be applied after several attempts.',
    fix: 'Repeat the request with the same Idempotency-Key.' },
  limit_reached: { status: 409, retryable: false, title: 'Limit reached',
    detail: 'The workspace has reached the limit for this kind of object.',
    cause: 'The workspace has the maximum number of objects of this kind.',
    fix: 'Delete one that is no longer needed. `detail` names the limit.' },
  no_places_left: { status: 409, retryable: true, title: 'Payment limit reached',
    detail: 'This payment link has reached its payment limit, counting payments in progress.',
    cause: 'The payment link has a `max_completions`. A payment counts towards it as soon as it starts; a failed payment no longer counts, a payment with an unknown outcome still does.',
    fix: 'Try again later: a payment in progress may fail. The seller can raise `max_completions`.' },
  too_many_secrets: { status: 409, retryable: false, title: 'Too many active secrets',
    detail: 'A webhook endpoint can have at most 5 active secrets.',
    cause: 'The secret was rotated several times, and the earlier secrets have not expired yet.',
    fix: 'Wait until the oldest secret expires (`secrets[].expires_at`), or rotate with `overlap_seconds` 0, which expires all earlier secrets immediately.' },
  attached_to_other_customer: { status: 409, retryable: false, title: 'The payment method belongs to another customer',
    detail: 'The payment method is attached to another customer.',
    cause: 'A payment method can be attached to one customer only, and never moves to another.',
    fix: 'Create another payment method from the card for this customer.' },
  credential_exists: { status: 409, retryable: false, title: 'The credential already exists',
    detail: 'The payment method already has a credential at this provider account.',
    cause: 'At each provider account, a payment method has at most one credential that is active or whose verification is pending. `resource_id` is the payment that verifies the card, if it is known.',
    fix: 'Read `credentials` of the payment method. A credential whose status is `failed` can be requested again.' },
  card_number_unavailable: { status: 409, retryable: false, title: 'The card number is not available',
    detail: 'Only the provider has the number of this card.',
    cause: 'A credential at another provider account needs the card number. The card was collected by the fields of a provider, so no vault has its number.',
    fix: 'Ask the payer for the card again, with `card_data.mode` `own_vault` or `external_vault`, and create a new payment method.' },
  order_has_payment: { status: 409, retryable: false, title: 'The order already has a payment',
    detail: 'This order already has a payment that is neither failed nor cancelled.',
    cause: 'Another payment has the same `order_reference`. It may still be in progress.',
    fix: 'Retrieve the payment in `resource_id`. You can create a new one once it has failed or is cancelled.' },
  payment_in_progress: { status: 409, retryable: false, title: 'A payment is in progress',
    detail: 'A payment for this invoice is in progress, or its outcome is unknown.',
    cause: 'The invoice is being paid, or the outcome of the last attempt is unknown. `resource_id` is that payment.',
    fix: 'Wait for `invoice.paid` or `invoice.payment_failed` before you try again.' },
  legal_fields_missing: { status: 409, retryable: false, title: 'Legal fields are missing',
    detail: 'The invoice lacks fields of the seller or the customer that the law requires.',
    cause: 'In live mode an invoice is finalized only if the seller, and a customer with a tax ID, have a name and an address. A seller in the EU or the United Kingdom also needs a tax ID. `detail` names the fields.',
    fix: 'Fill in the missing seller details with `PUT /seller`, or those of the customer. Then finalize the invoice again, or wait: finalization is retried every 15 minutes.' },
  e_invoice_incomplete: { status: 409, retryable: false, title: 'The e-invoice lacks fields',
    detail: 'The document lacks fields that an e-invoice requires.',
    cause: 'A rule of EN 16931, or of the profile, is violated. Each entry of `errors` names a field and the rule.',
    fix: 'Fill in the missing seller details with `PUT /seller`, and those of the customer. A finalized invoice keeps the values that it was finalized with: void it or credit it, and issue a new one.' },
  object_in_use: { status: 409, retryable: false, title: 'The object is in use',
    detail: 'The object is in use and cannot be deleted.',
    cause: 'Other objects refer to this one: a product has prices, a price is or was billed, or a customer has open invoices, or subscriptions that are not cancelled.',
    fix: '`detail` names what uses it. Deactivate a product or a price instead, so that nothing new can use it. Cancel the subscriptions of a customer first, or delete the customer with `subscriptions=cancel`.' },
  lookup_key_taken: { status: 409, retryable: false, title: 'Another price has this lookup key',
    detail: 'Another price has this lookup key.',
    cause: 'A `lookup_key` identifies one price. `resource_id` is the price that has it.',
    fix: 'Choose another key, or send `transfer_lookup_key: true` to move it to this price.' },
  promotion_code_taken: { status: 409, retryable: false, title: 'Another promotion code has this code',
    detail: 'Another active promotion code has this code.',
    cause: 'A `code` is unique among active promotion codes. `resource_id` is the promotion code that has it.',
    fix: 'Choose another code, or deactivate the other promotion code first.' },
  discount_not_applicable: { status: 409, retryable: false, title: 'The discount does not apply',
    detail: 'The coupon or the promotion code cannot be redeemed for this purchase.',
    cause: 'The coupon is archived, has expired, has reached its limit or is in another currency, or the promotion code is for another customer, a first purchase or a higher amount. `detail` says which, `resource_id` is the coupon or the promotion code.',
    fix: 'Remove the discount, or use another coupon.' },
  scheduled_change_conflict: { status: 409, retryable: false, title: 'A cancellation is scheduled',
    detail: 'A cancellation is already scheduled, so no other change can be scheduled.',
    cause: 'A subscription has at most one scheduled change. A cancellation replaces any other scheduled change, but cannot be replaced by one.',
    fix: 'Remove the cancellation first: update the subscription with `scheduled_change` null.' },
  preview_stale: { status: 409, retryable: false, title: 'The preview has expired',
    detail: 'The preview is no longer valid: create a new one.',
    cause: 'A preview is valid for 15 minutes, for the previewed body only, and until the subscription changes. Nothing was changed or charged, because the amount could differ from the previewed one.',
    fix: 'Create a new preview, show it, and send its `preview_token`.' },
  last_admin: { status: 409, retryable: false, title: 'The last ADMIN cannot be removed',
    detail: 'An organization needs at least one active ADMIN. Give another person the role ADMIN first.',
    cause: 'The request would deactivate the last active ADMIN of the organization, or remove the role from that person.',
    fix: 'Give another person the role ADMIN first.' },
  email_taken: { status: 409, retryable: false, title: 'The email is already in use',
    detail: 'A person with this email already exists.',
    cause: 'A person with this email exists, active or deactivated.',
    fix: 'Find the person with `GET /people`. They may only need another role.' },
  idempotency_key_in_use: { status: 409, retryable: true, title: 'The first request is still running',
    detail: 'A request with this Idempotency-Key is still running.',
    cause: 'Two requests were sent with the same key, and the first one is not finished yet.',
    fix: 'Wait for the time in `Retry-After` and repeat the request with the same key: it returns the response of the first request.' },
  version_mismatch: { status: 412, retryable: false, title: 'The object has changed',
    detail: 'The version in If-Match is not the current version of the object.',
    cause: 'The object was changed after you read it.',
    fix: 'Read the object again, and repeat the change with its new `ETag` if it still applies.' },
  body_too_large: { status: 413, retryable: false, title: 'The body is too large',
    detail: 'The body must not exceed 256 KB.',
    cause: 'The request body is larger than 256 KB.',
    fix: 'Send a smaller body. Do not store documents in metadata.' },
  unsupported_media_type: { status: 415, retryable: false, title: 'Unsupported content type',
    detail: 'Send the body as application/json.',
    cause: 'The header `Content-Type` is not `application/json`, or not `text/csv` for an uploaded settlement file.',
    fix: 'Set `Content-Type: application/json`, or `text/csv` for a settlement file.' },
  wrong_cell: { status: 421, retryable: false, title: 'The workspace is in another cell',
    detail: 'The workspace is in another cell.',
    cause: 'The installation has several cells, each with its own address, and a workspace is in one of them. The request reached another cell, which has not processed it.',
    fix: 'Send the request to the address in `cell_address`, which is also in the header `Switchyard-Cell-Address`. Change the base URL of your client, but only to an address that you know belongs to your installation: the request contains your token.' },
  idempotency_key_reused: { status: 422, retryable: false, title: 'The idempotency key was used for another request',
    detail: 'This Idempotency-Key was used with another body, query or API version.',
    cause: 'The same key was sent earlier with another body, query or version. Keys are stored for seven days.',
    fix: 'Use a new key for a new request.' },
  invalid_settlement_file: { status: 422, retryable: false, title: 'The settlement file cannot be imported',
    detail: 'The settlement file cannot be imported.',
    cause: 'The file is not valid CSV, has missing or unknown columns, or has a line with an invalid amount, currency or date. Lines before that line may be stored already. Those lines are matched after you import a corrected file that includes them.',
    fix: '`detail` names the column or the line. Check that the file has the format of the import and is complete, and create a new import for the corrected file.' },
  reference_not_found: { status: 422, retryable: false, title: 'A referenced object does not exist',
    detail: 'The body refers to an object that does not exist.',
    cause: 'The body contains an id that is misspelled, belongs to another kind of object, workspace or environment, or to a deleted object.',
    fix: 'Each entry of `errors` names the member. Check the prefix of the id, and that the object still exists.' },
  journal_settings_incomplete: { status: 422, retryable: false, title: 'The settings of the journal are incomplete',
    detail: 'Accounts that have postings in the period lack a number.',
    cause: 'Xero and DATEV identify accounts by their number in your chart of accounts.',
    fix: 'Set the numbers of the accounts in `detail` with `PUT /journal-settings`.' },
  price_inactive: { status: 422, retryable: false, title: 'The price is inactive',
    detail: 'The price is inactive and cannot be used for new billing.',
    cause: 'The body contains a price whose `active` is false. Existing subscriptions continue to be billed with it.',
    fix: 'Use an active price of the product, or activate this one again.' },
  mixed_interval: { status: 422, retryable: false, title: 'The items have different currencies or intervals',
    detail: 'All items of a subscription must have the same currency and interval.',
    cause: 'The prices of the items differ in currency, interval or interval count, one of them is a one-time price, or their currency differs from that of the subscription. A subscription has one billing cycle and one currency.',
    fix: 'Create one subscription for each interval and currency.' },
  route_invalid: { status: 422, retryable: false, title: 'The payment route cannot be published',
    detail: 'The payment route has errors, so it was not published.',
    cause: 'The linter found an error: a rule that can never match, an account that is not active or cannot process the payments sent to it, or an example with an unexpected result.',
    fix: 'Each entry of `errors` describes one error: `pointer` says where it is, `detail` what is wrong. Save the route with `draft` to continue later, and check it with `POST /payment-routes/lint` before you publish.' },
  test_card_required: { status: 422, retryable: false, title: 'The test environment accepts test cards only',
    detail: 'The test environment accepts the published test cards only.',
    cause: 'The number is well formed, but is not a published test card. It may be a real card, so it was discarded and not stored.',
    fix: 'Use 4242 4242 4242 4242, which is always approved, or another test card from the card data guide.' },
  url_not_allowed: { status: 422, retryable: false, title: 'The URL is not allowed',
    detail: 'The URL is not allowed.',
    cause: 'Switchyard never calls this URL: it is not https, contains a user name, uses a port that is not allowed, or points to a private network.',
    fix: 'Use an https URL that is reachable from the internet, on port 443 or a port from 1024 upwards. An operator can allow private networks, and loopback in the test environment.' },
  head_too_large: { status: 431, retryable: false, title: 'The request headers are too large',
    detail: 'The URL and the headers must not exceed 16 KB together.',
    cause: 'The URL or a header is far longer than any operation accepts.',
    fix: 'Shorten the query and the headers. Move long values into the request body.' },
  sign_in_locked: { status: 429, retryable: true, title: 'Too many sign-in attempts',
    detail: 'Too many failed sign-in attempts. Try again later.',
    cause: 'After ten wrong attempts for an email address from one network, that network is locked out of the account for 30 minutes, even with the correct password. Failed attempts for one email address from all networks, and from one network for all email addresses, are limited as well.',
    fix: 'Wait for the time in `Retry-After`. A browser that has signed in as this person before is not affected by failed attempts of others. A passkey works from another network, and a sign-in link from the operator works immediately.' },
  rate_limited: { status: 429, retryable: true, title: 'Too many requests',
    detail: 'The token has exceeded its rate limit.',
    cause: 'More requests were sent with this token or from this address, or a payment link was opened more often, than the rate limit allows.',
    fix: 'Wait for the time in `Retry-After`. The headers `RateLimit-Policy` and `RateLimit` show the limit and the remaining requests.' },
  too_many_tries: { status: 429, retryable: true, title: 'Too many declined payments',
    detail: 'Too many payments were declined. This payment was not sent to a bank, and nothing was charged.',
    cause: 'Too many payments were declined from this network, with this card, in this checkout session, through this payment link, or in the whole workspace. The payment was not sent to a provider.',
    fix: 'Repeat the request after `Retry-After`; the hosted payment page does that automatically. Without `Retry-After`, open the link again or ask the seller for a new one. If `advice_code` is `other_method`, use another card.' },
  too_many_in_flight: { status: 429, retryable: true, title: 'Too many concurrent requests',
    detail: 'The workspace has too many concurrent requests.',
    cause: 'The workspace has reached its limit of concurrent requests.',
    fix: 'Send fewer requests concurrently, and repeat this one after `Retry-After`.' },
  internal_error: { status: 500, retryable: true, title: 'Internal error',
    detail: 'An internal error occurred. The request may have had an effect.',
    cause: 'A bug or an unexpected failure in Switchyard.',
    fix: 'Repeat the request with the same Idempotency-Key: it takes effect at most once. If the error persists, report the `request_id`.' },
  vault_unavailable: { status: 503, retryable: true, title: 'The card vault is not available',
    detail: 'The card vault of this workspace could not be used.',
    cause: 'The card vault did not respond, or it rejected the credentials that are stored in `card_data.vault` of the workspace.',
    fix: 'Try again. If the error persists, check the status of the vault and its credentials: `PUT /workspace` replaces them.' },
  unavailable: { status: 503, retryable: true, title: 'Service unavailable',
    detail: 'The service cannot reach its database.',
    cause: 'The database does not respond, a standby is being promoted, or the server is shutting down. If `detail` says that the request may have had an effect, it is not known whether it was committed.',
    fix: 'Repeat the request with the same Idempotency-Key after `Retry-After`.' },
  read_only: { status: 503, retryable: true, title: 'Changes are not possible at the moment',
    detail: 'The database cannot confirm changes at the moment. Nothing was changed. Reads work.',
    cause: 'Every change is stored on two database servers, and the second one does not respond. The service returns to normal as soon as it does.',
    fix: 'Repeat the request with the same Idempotency-Key after `Retry-After`.' },
  page_not_built: { status: 503, retryable: true, title: 'The page is not built',
    detail: 'The payment page is not built. Run `npm run build:checkout` and try again.',
    cause: 'The folder of the payment page, the dashboard or the documentation is empty or missing: the server was started from sources, and the page was not built.',
    fix: 'Run `npm run build:checkout`, `npm run build:dashboard` or `npm run build:docs`, or set `CHECKOUT_PAGES`, `DASHBOARD_PAGES` or `DOCS_PAGES` to the folder of a built page.' },
  overloaded: { status: 503, retryable: true, title: 'Server overloaded',
    detail: 'The server is overloaded.',
    cause: 'The server has more requests than it can process. It rejects reads before writes.',
    fix: 'Repeat the request after `Retry-After`.' },
} as const satisfies Record<string, ErrorDefinition>

export type ErrorCode = keyof typeof errors

/** One validation error of a request: the location, the violated rule, and a sentence. */
export type Fault = {
  readonly pointer: string
  readonly code:
    | 'required'
    | 'unknown_member'
    | 'wrong_type'
    | 'too_short'
    | 'too_long'
    | 'too_small'
    | 'too_large'
    | 'too_many'
    | 'not_in_list'
    | 'bad_format'
    | 'not_together'
    | 'not_found'
    // The findings of the payment route linter.
    | 'impossible_condition'
    | 'unreachable_rule'
    | 'no_capable_target'
    | 'account_not_active'
    | 'custom_not_checked'
    | 'example_failed'
  readonly detail: string
}

/** Members that a response can add to the catalogue entry. */
export type RefusalMembers = {
  readonly detail?: string
  readonly errors?: readonly Fault[]
  readonly current_status?: string
  readonly decline_code?: string
  readonly advice_code?: string
  /** The object that the rejected request created or conflicted with. */
  readonly resource_id?: string
  readonly allowed_actions?: readonly string[]
  /** The address of the cell that has the workspace. */
  readonly cell_address?: string
  readonly retryAfterSeconds?: number
  readonly allow?: string
}

/** The request was understood and rejected. The HTTP platform renders it as problem+json. */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly code: ErrorCode
  readonly members: RefusalMembers

  constructor(code: ErrorCode, members: RefusalMembers) {
    super(detailOf(code, members))
    this.code = code
    this.members = members
  }
}

export function refuse(code: ErrorCode, members: RefusalMembers = {}): never {
  throw new Refusal(code, members)
}

/** Rejects a request because one member violates a rule that the schema cannot express. */
export function refuseMember(pointer: string, code: Fault['code'], detail: string): never {
  return refuseMembers([{ pointer, code, detail }])
}

/** Rejects a request with all its validation errors. */
export function refuseMembers(errors: readonly Fault[]): never {
  return refuse('invalid_request', { errors: [...errors] })
}

/**
 * The sentence of a refusal: its own detail, otherwise its first validation error, otherwise the text of the
 * catalogue.
 */
export function detailOf(code: ErrorCode, { detail, errors: faults = [] }: RefusalMembers): string {
  if (detail !== undefined) return detail
  const [first, ...others] = faults
  if (first === undefined) return errors[code].detail
  return `${nameAt(first.pointer)} ${first.detail}${others.length === 0 ? '' : ` (and ${others.length} more)`}`
}

/** `/tax_ids/0/value` as `tax_ids[0].value`. */
function nameAt(pointer: string): string {
  if (pointer === '') return 'The body'
  const parts = pointer.slice(1).split('/')
  return parts
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((name, part) => (/^\d+$/.test(part) ? `${name}[${part}]` : `${name}.${part}`))
}
