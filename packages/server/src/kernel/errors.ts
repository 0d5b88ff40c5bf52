/**
 * Everything we refuse, in one catalogue. From it come the answers, the OpenAPI document, the pages under
 * docs/reference/errors and the classes of the SDK, so none of them can tell a different story.
 */

export type ErrorDefinition = {
  readonly status: number
  /** Whether this very request, with the same key, may succeed later. */
  readonly retryable: boolean
  readonly title: string
  /** The usual sentence; a refusal may say something more exact. */
  readonly detail: string
  readonly cause: string
  readonly fix: string
}

// biome-ignore format: a catalogue is easier to compare in rows of equal shape.
export const errors = {
  invalid_json: { status: 400, retryable: false, title: 'The body is not valid JSON',
    detail: 'The body is not valid JSON.',
    cause: 'The body does not parse, is not UTF-8, names a member twice, is nested deeper than 32 levels, or holds a character that cannot be stored (NUL, half of a surrogate pair).',
    fix: 'Serialize the body with a JSON library and send it as UTF-8. `detail` names the first fault and where it is.' },
  invalid_request: { status: 400, retryable: false, title: 'The request is not valid',
    detail: 'The request is not valid.',
    cause: 'A member of the body, the query, the path or a header does not fit the schema of the operation. Members that the operation does not know are refused, so a typing error is not overlooked.',
    fix: 'Each entry of `errors` points at one fault: `pointer` says where, `code` and `detail` say what.' },
  invalid_cursor: { status: 400, retryable: false, title: 'The cursor is not valid',
    detail: 'A cursor is the id of an object of the list.',
    cause: '`starting_after` or `ending_before` is not an id of the kind that the list holds, or the cursor of a stream is not one, or is older than events are kept.',
    fix: 'Pass the `id` of the first or last object of the page you have. Begin a stream without a cursor, or with `since`.' },
  unknown_version: { status: 400, retryable: false, title: 'The version is not known',
    detail: 'The header Switchyard-Version names a version that does not exist.',
    cause: 'The header `Switchyard-Version`, or the version given for the workspace, is not a published one.',
    fix: 'Leave the header out to use the version of your workspace, or take one from the changelog.' },
  invalid_idempotency_key: { status: 400, retryable: false, title: 'The idempotency key is not valid',
    detail: 'An Idempotency-Key has 1 to 255 visible ASCII characters.',
    cause: 'The header `Idempotency-Key` is empty, too long, or holds a character that is not visible ASCII.',
    fix: 'Use a random UUID, or a name of your own such as `order-4711`.' },
  token_missing: { status: 401, retryable: false, title: 'No API token',
    detail: 'Send your API token in the header "Authorization: Bearer <token>".',
    cause: 'The request has no `Authorization` header, or one that does not begin with `Bearer `.',
    fix: 'Add the header `Authorization: Bearer <API_KEY>`.' },
  token_invalid: { status: 401, retryable: false, title: 'The API token is not valid',
    detail: 'The API token is not valid: misspelled, cut off, rolled or revoked.',
    cause: 'The token is misspelled or cut off, or it was rolled or revoked.',
    fix: 'Copy the token again, or create one. `npm run setup` prints a development token.' },
  token_expired: { status: 401, retryable: false, title: 'The API token has expired',
    detail: 'The API token has expired.',
    cause: 'The token had an end, or was rolled and its overlap is over.',
    fix: 'Use the newer token, or create one.' },
  token_wrong_address: { status: 401, retryable: false, title: 'The token belongs to the other address',
    detail: 'Live tokens are served at the production address, test tokens at the staging address.',
    cause: 'A test token was sent to the production address, or a live token to the staging address.',
    fix: 'Call the address that `detail` names.' },
  provider_signature_invalid: { status: 401, retryable: false, title: 'The signature of the provider is not valid',
    detail: 'The message is not signed with a secret of this provider account.',
    cause: 'A message to a `webhook_url` has no signature, one made with another secret or over other bytes, or one that is older than five minutes.',
    fix: 'Sign the bytes that are sent, with the secret of the account, and check the clock of the sender.' },
  session_required: { status: 401, retryable: false, title: 'Nobody is signed in',
    detail: 'Sign in first.',
    cause: 'The dashboard was asked for something without a session, or the session has ended: signed out, idle for an hour (for fifteen minutes where production takes card numbers), or older than twelve.',
    fix: 'Sign in at the dashboard. The API takes no sessions; it takes tokens.' },
  sign_in_refused: { status: 401, retryable: false, title: 'Not signed in',
    detail: 'That is not right. Check what you have typed.',
    cause: 'The e-mail address, the password, the code or the link is not right, or has been used. Which of them is not said, so that nobody learns who is here.',
    fix: 'Try again. An ADMIN of your organization can invite you anew; the operator can make a link with the command `sign-in-link`.' },
  second_factor_required: { status: 401, retryable: false, title: 'A second factor is needed',
    detail: 'Type the code that your authenticator shows, or a recovery code.',
    cause: 'The password is right, and the person has a second factor.',
    fix: 'Send the same again with `code`.' },
  checkout_secret_invalid: { status: 401, retryable: false, title: 'The secret of the checkout session is not valid',
    detail: 'The header Checkout-Secret does not hold the secret of this checkout session.',
    cause: 'The payment page asked for a session without its secret, with a part of it, or with that of another one.',
    fix: 'Open the address of the payment link again. It stands behind the `#` of the address of a session.' },
  payment_failed: { status: 402, retryable: false, title: 'The payment failed',
    detail: 'The payment failed.',
    cause: 'The bank or the provider declined, or no provider could take the payment. `decline_code` says why, `advice_code` what the payer can do.',
    fix: 'Show the payer the text that belongs to `advice_code`. Another card is another payment; repeating this request gives this answer again.' },
  payment_method_declined: { status: 402, retryable: false, title: 'The card could not be verified',
    detail: 'The card could not be verified.',
    cause: 'The bank or the provider declined, or no provider could verify the card. No payment method was made; `resource_id` is the payment by which it was tried. `decline_code` says why, `advice_code` what the payer can do.',
    fix: 'Show the payer the text that belongs to `advice_code`. A token is for one try: another one needs another token.' },
  role_not_allowed: { status: 403, retryable: false, title: 'The role does not allow this',
    detail: 'The role of the token does not allow this operation.',
    cause: 'Every operation names the roles that may call it; that of the token is not among them.',
    fix: 'Use a token with one of the roles that `detail` names. The roles reference lists all operations.' },
  publishable_token_not_allowed: { status: 403, retryable: false, title: 'A publishable token does not allow this',
    detail: 'This operation needs a secret token.',
    cause: 'A publishable token may be seen by anyone, so it opens only the operations of a payment page.',
    fix: 'Call this operation from your server with a secret token.' },
  foreign_origin: { status: 403, retryable: false, title: 'Asked from another page',
    detail: 'This is for the pages of the dashboard alone.',
    cause: 'A page of another origin, or a program that names none, asked for something that only the dashboard itself may do.',
    fix: 'Open the dashboard at the address in `DASHBOARD_BASE_URL`. Programs use tokens, at the API.' },
  fresh_proof_required: { status: 403, retryable: false, title: 'Prove again who you are',
    detail: 'Type your password again, or sign in again.',
    cause: 'A passkey or an authenticator was to be changed in a session that is older than five minutes, and no password came along. Whoever finds an open browser must not be able to stay.',
    fix: 'Send the same again with `password`, or sign in again and repeat it within five minutes.' },
  live_mode_only: { status: 403, retryable: false, title: 'Possible in production alone',
    detail: 'People belong to the whole organization: a test token cannot change them.',
    cause: 'A test token asked for something that reaches into production.',
    fix: 'Use a live token at the production address, or the dashboard.' },
  test_mode_only: { status: 403, retryable: false, title: 'Possible in the test environment alone',
    detail: 'This is possible in the test environment alone.',
    cause: 'A live token asked for something that exists for tests, such as an account of the simulator.',
    fix: 'Use a test token at the staging address.' },
  raw_cards_disabled: { status: 403, retryable: false, title: 'This workspace takes no card numbers',
    detail: 'This workspace takes no card numbers in production.',
    cause: 'A card number was sent to production. There the vault is off until the operator turns it on and an ADMIN of the workspace confirms what it means for PCI DSS. The number was dropped.',
    fix: 'Send the token that the fields of your provider give, as `provider_token`. To take numbers yourself, look at `GET /vault`: it says what is missing.' },
  not_found: { status: 404, retryable: false, title: 'Not found',
    detail: 'There is no such object.',
    cause: 'The id is misspelled, belongs to another kind, another workspace or the other environment, or the object was deleted.',
    fix: 'Check the prefix of the id: it names the kind, and `_test_` marks the test environment.' },
  unknown_path: { status: 404, retryable: false, title: 'No such path',
    detail: 'There is no operation at this path.',
    cause: 'The path is misspelled.',
    fix: 'Look the operation up at `/docs`.' },
  method_not_allowed: { status: 405, retryable: false, title: 'The method is not allowed here',
    detail: 'The path exists, but not with this method.',
    cause: 'The path exists, but not with this method.',
    fix: 'The header `Allow` of the answer lists the methods of this path.' },
  invalid_state: { status: 409, retryable: false, title: 'Not possible in this state',
    detail: 'Not possible in this state.',
    cause: 'The object is in a state from which this action is not possible.',
    fix: '`current_status` says where the object is, `allowed_actions` what can be done with it.' },
  test_clock_advancing: { status: 409, retryable: true, title: 'The test clock is on its way',
    detail: 'The test clock is on its way.',
    cause: 'The object lives on a test clock that is being advanced, and time must not be disturbed while it passes.',
    fix: 'Wait until the clock is `ready`, or for the event `test_clock.ready`, and repeat the request.' },
  conflict: { status: 409, retryable: true, title: 'Too many changes at once',
    detail: 'Too many changes met at the same object.',
    cause: 'Several requests changed the same object at the same moment, and this one was overtaken each time.',
    fix: 'Repeat the request with the same Idempotency-Key.' },
  limit_reached: { status: 409, retryable: false, title: 'There are as many as there may be',
    detail: 'There are as many of these as there may be.',
    cause: 'The workspace has as many objects of this kind as it may have.',
    fix: 'Delete one that is not needed any more. `detail` names the limit.' },
  no_places_left: { status: 409, retryable: true, title: 'Nobody else can pay at the moment',
    detail: 'As many have paid by this link as may, or are paying at this moment.',
    cause: 'The link has a number of completions. Each payer takes a place when paying begins; a payment that fails gives it back, one whose outcome is not known keeps it.',
    fix: 'Try again later: a place may come back. The seller can raise `max_completions`.' },
  too_many_secrets: { status: 409, retryable: false, title: 'Too many secrets sign at once',
    detail: 'A webhook endpoint has at most 5 secrets that sign at the same time.',
    cause: 'The secret was rotated several times, and the overlaps of the earlier ones have not ended.',
    fix: 'Wait until the oldest has ended (`secrets[].expires_at`), or rotate with `overlap_seconds` 0, which ends all earlier ones now.' },
  attached_to_other_customer: { status: 409, retryable: false, title: 'The payment method belongs to another customer',
    detail: 'The payment method is attached to another customer.',
    cause: 'A payment method is attached to one customer, for as long as it lives.',
    fix: 'Make another payment method of the card for this customer.' },
  order_has_payment: { status: 409, retryable: false, title: 'The order has a payment',
    detail: 'There is a payment for this order that is neither failed nor cancelled.',
    cause: 'Another payment carries the same `order_reference`. It may still be under way.',
    fix: 'Look at the payment that `resource_id` names. A new one is possible when that one has failed or is cancelled.' },
  payment_in_progress: { status: 409, retryable: false, title: 'A payment is under way',
    detail: 'A payment for this invoice is under way, or it is not known yet what became of it.',
    cause: 'Somebody pays the invoice at this moment, or the outcome of the last attempt is not known. `resource_id` is that payment.',
    fix: 'Wait for `invoice.paid` or `invoice.payment_failed`, and then decide again.' },
  object_in_use: { status: 409, retryable: false, title: 'The object is in use',
    detail: 'The object is in use, and cannot be deleted.',
    cause: 'Something refers to the object: a product has prices, somebody is or was billed by a price.',
    fix: 'Make it inactive instead: then nothing new can use it. `detail` says what uses it.' },
  lookup_key_taken: { status: 409, retryable: false, title: 'Another price has this lookup key',
    detail: 'Another price has this lookup key.',
    cause: 'A `lookup_key` names one price. The one that has it is named by `resource_id`.',
    fix: 'Choose another key, or send `transfer_lookup_key: true` to take it over.' },
  scheduled_change_conflict: { status: 409, retryable: false, title: 'A cancellation is scheduled',
    detail: 'A cancellation is scheduled, and nothing else can be scheduled beside it.',
    cause: 'A subscription has one scheduled change. A cancellation takes the place of any other, but no other takes its place.',
    fix: 'Withdraw the cancellation first: change the subscription with `scheduled_change` null.' },
  preview_stale: { status: 409, retryable: false, title: 'The preview no longer holds',
    detail: 'The preview no longer holds: look at a new one.',
    cause: 'A preview is good for 15 minutes, for the body that was previewed, and as long as the subscription is as it was. Nothing was done: another amount than the one that was shown is never charged.',
    fix: 'Make a new preview, show it, and send its `preview_token`.' },
  last_admin: { status: 409, retryable: false, title: 'The last ADMIN stays',
    detail: 'An organization needs an ADMIN who is active. Make another one first.',
    cause: 'The last active ADMIN of the organization would lose the role, or be deactivated.',
    fix: 'Give somebody else the role ADMIN first.' },
  email_taken: { status: 409, retryable: false, title: 'The e-mail address is taken',
    detail: 'Somebody signs in with this e-mail address already.',
    cause: 'A person with this e-mail address exists, active or deactivated.',
    fix: 'Look at `GET /people`. The person may just need another role.' },
  idempotency_key_in_use: { status: 409, retryable: true, title: 'The first request is still running',
    detail: 'A request with this Idempotency-Key is still running.',
    cause: 'A request with the same key was sent twice, and the first one has no answer yet.',
    fix: 'Wait as long as `Retry-After` says and repeat the request with the same key: it gets the answer of the first.' },
  version_mismatch: { status: 412, retryable: false, title: 'The object has changed',
    detail: 'The object is no longer in the version that If-Match names.',
    cause: 'Somebody changed the object after you read it.',
    fix: 'Read the object again, and make the change with its new `ETag` if it still makes sense.' },
  body_too_large: { status: 413, retryable: false, title: 'The body is too large',
    detail: 'A body has at most 256 KB.',
    cause: 'The body of the request is larger than 256 KB.',
    fix: 'Send less. Metadata is not meant for documents.' },
  unsupported_media_type: { status: 415, retryable: false, title: 'The body is not JSON',
    detail: 'Send the body as application/json.',
    cause: 'The header `Content-Type` names something else than `application/json`.',
    fix: 'Set `Content-Type: application/json`.' },
  idempotency_key_reused: { status: 422, retryable: false, title: 'The key belongs to another request',
    detail: 'This Idempotency-Key was used with another body, query or API version.',
    cause: 'The same key was sent earlier with another body, query or version. Keys are kept for seven days.',
    fix: 'Use a new key for a new request.' },
  reference_not_found: { status: 422, retryable: false, title: 'An object that is referred to does not exist',
    detail: 'The body refers to an object that does not exist.',
    cause: 'A member of the body holds the id of an object that is misspelled, of another kind, workspace or environment, or was deleted.',
    fix: 'Each entry of `errors` points at the member. Check the prefix of the id, and that the object still exists.' },
  price_inactive: { status: 422, retryable: false, title: 'The price is inactive',
    detail: 'The price is inactive, so nothing new can be billed by it.',
    cause: 'The body names a price whose `active` is false. What is billed by it already goes on.',
    fix: 'Use an active price of the product, or make this one active again.' },
  mixed_interval: { status: 422, retryable: false, title: 'The items do not fit together',
    detail: 'All items of a subscription have one currency and one interval.',
    cause: 'The prices of the items differ in currency, interval or number of intervals, or one of them is paid once. A subscription has one clock.',
    fix: 'Make a subscription for each interval and currency.' },
  route_invalid: { status: 422, retryable: false, title: 'The payment route cannot be published',
    detail: 'The payment route has errors, so it was not published.',
    cause: 'The lint found an error: a rule that can never match, an account that is not active or cannot take what is sent to it, or an example that does not end where it should.',
    fix: 'Each entry of `errors` points at one fault: `pointer` says where, `detail` why. Save it with `draft` to go on later, and try it with `POST /payment-routes/lint` before you publish.' },
  test_card_required: { status: 422, retryable: false, title: 'The test environment takes test cards only',
    detail: 'The test environment takes the published test cards only.',
    cause: 'The number is well formed, but is none of the published test cards. It may be a real one, so it was dropped and is stored nowhere.',
    fix: 'Use 4242 4242 4242 4242, which is always approved, or another test card of the guide to card data.' },
  url_not_allowed: { status: 422, retryable: false, title: 'The address is not allowed',
    detail: 'The address is not allowed.',
    cause: 'The URL is not one that is ever called: it is not https, carries a user name, names a port that is not allowed, or leads into a private network.',
    fix: 'Give an https address that is reachable from the internet, on port 443 or from 1024 on. An operator may allow private networks, and loopback in the test environment.' },
  head_too_large: { status: 431, retryable: false, title: 'The head of the request is too large',
    detail: 'The address and the header fields have at most 16 KB together.',
    cause: 'The address, or a header field, is far longer than any that an operation takes.',
    fix: 'Send less in the query and in the headers. What is long belongs into the body.' },
  sign_in_locked: { status: 429, retryable: true, title: 'Too many tries to sign in',
    detail: 'There were too many wrong tries. Wait a while.',
    cause: 'Wrong passwords or codes came for this e-mail address or from this network. After ten in a row nobody can sign in with the address for half an hour, with the right password neither.',
    fix: 'Wait as long as `Retry-After` says. A sign-in link of the operator works at once.' },
  rate_limited: { status: 429, retryable: true, title: 'Too many requests',
    detail: 'The token has used up its requests for now.',
    cause: 'More requests came with this token, or from this address, than its limit allows.',
    fix: 'Wait as long as `Retry-After` says. The headers `RateLimit-Policy` and `RateLimit` tell the limit and what is left.' },
  too_many_tries: { status: 429, retryable: true, title: 'Too many tries',
    detail: 'Paying was tried too often. Wait a while.',
    cause: 'Paying was tried too often from this network, with this card, or in this checkout session. Nothing was sent to a bank, and nothing was charged.',
    fix: 'Wait as long as `Retry-After` says. Without it, open the link again, or ask the seller for a new one.' },
  too_many_in_flight: { status: 429, retryable: true, title: 'Too many requests at once',
    detail: 'The workspace has too many requests under way at once.',
    cause: 'More requests of the workspace are under way than it may have at once.',
    fix: 'Send fewer in parallel, and repeat this one after `Retry-After`.' },
  internal_error: { status: 500, retryable: true, title: 'Our fault',
    detail: 'Something went wrong on our side. Whether the request had an effect is not certain.',
    cause: 'A fault in Switchyard.',
    fix: 'Repeat the request with the same Idempotency-Key: it has its effect at most once. If it stays, report the `request_id`.' },
  unavailable: { status: 503, retryable: true, title: 'Not available at the moment',
    detail: 'The service cannot reach its database at the moment.',
    cause: 'The database does not answer, or the server is about to stop.',
    fix: 'Repeat the request with the same Idempotency-Key after `Retry-After`.' },
  page_not_built: { status: 503, retryable: true, title: 'The page is not built',
    detail: 'The payment page is not built. Run `npm run build:checkout` and try again.',
    cause: 'The folder of the payment page, of the dashboard or of the documentation is empty or missing: the server was started from sources, and nobody has built the page.',
    fix: 'Run `npm run build:checkout`, `npm run build:dashboard` or `npm run build:docs`, or name the folder of a built page in `CHECKOUT_PAGES`, `DASHBOARD_PAGES` or `DOCS_PAGES`.' },
  overloaded: { status: 503, retryable: true, title: 'Too busy at the moment',
    detail: 'The server is too busy at the moment.',
    cause: 'The server has more to do than it can carry, and lets reads wait before writes.',
    fix: 'Repeat the request after `Retry-After`.' },
} as const satisfies Record<string, ErrorDefinition>

export type ErrorCode = keyof typeof errors

/** One fault of a request: where, which rule, and a sentence. */
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
    // What the lint of a payment route finds.
    | 'impossible_condition'
    | 'unreachable_rule'
    | 'no_capable_target'
    | 'account_not_active'
    | 'custom_not_checked'
    | 'example_failed'
  readonly detail: string
}

/** What an answer may say beside the catalogue. */
export type RefusalMembers = {
  readonly detail?: string
  readonly errors?: readonly Fault[]
  readonly current_status?: string
  readonly decline_code?: string
  readonly advice_code?: string
  /** The object that the refused request left behind, or met. */
  readonly resource_id?: string
  readonly allowed_actions?: readonly string[]
  readonly retryAfterSeconds?: number
  readonly allow?: string
}

/** We understood, and will not do it. Rendered as problem+json by the HTTP platform. */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly code: ErrorCode
  readonly members: RefusalMembers

  constructor(code: ErrorCode, members: RefusalMembers) {
    super(members.detail ?? errors[code].detail)
    this.code = code
    this.members = members
  }
}

export function refuse(code: ErrorCode, members: RefusalMembers = {}): never {
  throw new Refusal(code, members)
}

/** For a rule that the schema cannot tell: one member is at fault. */
export function refuseMember(pointer: string, code: Fault['code'], detail: string): never {
  return refuseMembers([{ pointer, code, detail }])
}

/** All that is wrong about a body. */
export function refuseMembers(errors: readonly Fault[]): never {
  const detail = errors.length === 1 ? '1 member is not valid.' : `${errors.length} members are not valid.`
  return refuse('invalid_request', { detail, errors: [...errors] })
}
