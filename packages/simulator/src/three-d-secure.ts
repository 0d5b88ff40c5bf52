/**
 * The 3-D Secure page of the payer's bank, and the page of methods that the payer approves at the provider. The simulator
 * stores the result. The payer returns to the merchant with a secret that proves the visit. After 3-D Secure, the operation
 * ends when the merchant calls `complete`; a payer who approves another method has paid, even without returning.
 */

import { dialectOf } from './dialects/serve.ts'
import type { Reply } from './faults.ts'
import { endChallenge } from './operations.ts'
import type { AccountContext } from './run-operation.ts'
import { type Account, type Challenge, type Operation, saveOperation } from './simulator-state.ts'

type Button = 'approve' | 'fail' | 'leave'
type ChallengedOperation = Operation & { readonly challenge: Challenge }

/** `button` is the submitted button; null when the page is opened. `auto` acts as the card specifies. */
export type PageRequest = {
  readonly reference: string
  readonly auto: boolean
  readonly button: string | null
  /** The form field `creq`, with which the page must be opened if the action is a form. */
  readonly formSecret: string | null
}

export function handleChallengePage(context: AccountContext, request: PageRequest): Reply {
  const { state, account } = context
  const operation = account.operations.get(request.reference)
  if (!isChallenged(operation)) return page(404, 'Nothing to confirm', notFoundHtml)
  const { formSecret } = operation.challenge
  if (formSecret && formSecret !== request.formSecret) return page(404, 'Nothing to confirm', notFoundHtml)
  const button = chosenButton(account, operation, request)
  if (button === null) return page(200, titleOf(operation), confirmationForm(operation))
  const result = resultOf(operation.challenge, button)
  const answered = { ...operation, challenge: { ...operation.challenge, result } }
  saveOperation(state, account, answered, null)
  if (result === 'left') return page(200, 'You left', leftHtml)
  const dialect = dialectOf(state, account)
  const url = dialect?.returnUrl?.(context, answered) ?? operation.request?.return_url ?? null
  const endsHere = dialect?.endsOnChallengePage === true || redirectTypeIn(operation) !== null
  const afterSend = endsHere ? endChallenge(context, answered) : undefined
  const reply: Reply =
    url === null
      ? page(200, 'Thank you', '<p>You can close this window.</p>')
      : { status: 303, headers: { location: returnUrlOf(context, url, answered) } }
  return afterSend === undefined ? reply : { ...reply, afterSend }
}

const methodNames = { ideal: 'iDEAL', bancontact: 'Bancontact', paypal: 'PayPal' } as const

const redirectTypeIn = ({ request }: Operation) => request?.redirect ?? null

function titleOf(operation: Operation): string {
  const type = redirectTypeIn(operation)
  return type === null ? 'Confirm your payment' : `Pay with ${methodNames[type]}`
}

function isChallenged(operation: Operation | undefined): operation is ChallengedOperation {
  return operation !== undefined && operation.challenge !== null
}

function chosenButton(
  { config }: Account,
  { challenge }: ChallengedOperation,
  { auto, button }: PageRequest,
): Button | null {
  if (button === 'approve' || button === 'fail' || button === 'leave') return button
  if (!auto && config.challenge === 'page') return null
  return challenge.presetResult === 'leave' ? 'leave' : 'approve'
}

/** If the card is set to fail, the result is a failure even if the payer approves. */
function resultOf({ presetResult }: Challenge, button: Button): NonNullable<Challenge['result']> {
  if (button === 'leave') return 'left'
  return button === 'fail' || presetResult === 'fail' ? 'failed' : 'passed'
}

function returnUrlOf(context: AccountContext, url: string, operation: ChallengedOperation): string {
  const { reference, challenge } = operation
  const params = dialectOf(context.state, context.account)?.returnParams(context, operation) ?? {
    reference,
    challenge: challenge.secret,
  }
  const location = new URL(url)
  for (const [name, value] of Object.entries(params)) location.searchParams.set(name, value)
  return location.href
}

const notFoundHtml = '<p>This confirmation has expired or does not exist.</p>'
const leftHtml =
  '<p>Nothing was confirmed. You can go back and choose again until this confirmation expires.</p>'

function confirmationForm({ request, reference, challenge }: ChallengedOperation): string {
  const { formSecret } = challenge
  const field =
    formSecret !== null ? `<input type="hidden" name="creq" value="${escapeHtml(formSecret)}">` : ''
  const amountText = `${request?.amount} ${request?.currency.toUpperCase()} (minor units)`
  return `<p>A test payment of <strong>${escapeHtml(amountText)}</strong>, reference <code>${escapeHtml(reference)}</code>.</p>
<form method="post">${field}
<button name="result" value="approve">Approve</button>
<button name="result" value="fail">Fail</button>
<button name="result" value="leave">Leave</button>
</form>`
}

function page(status: number, title: string, content: string): Reply {
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Test bank</title>
<style>
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { max-width: 28rem; margin: 4rem auto; padding: 0 1rem }
button { font: inherit; padding: .6rem 1.2rem; margin: 0 .4rem .4rem 0 }
code { overflow-wrap: anywhere }
</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${content}
<p><small>This is the Switchyard simulator. No money moves.</small></p>
</main>
</body>
</html>
`
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    'cache-control': 'no-store',
  }
  return { status, headers, body }
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
