/**
 * The page of the payer's bank. What is pressed here stands in the books of the simulator; the payer carries back
 * nothing but a secret that proves they were here, and `complete` decides.
 */
import type { Place } from './course.ts'
import type { Reply } from './faults.ts'
import { type Account, type Challenge, type Operation, settle } from './world.ts'

type Pressed = 'approve' | 'fail' | 'leave'
type Challenged = Operation & { readonly challenge: Challenge }

/** `pressed` is what the form sent; null when the page is opened. `auto` answers as the card says. */
export type Visit = { readonly reference: string; readonly auto: boolean; readonly pressed: string | null }

export function visitBank({ world, account }: Place, visit: Visit): Reply {
  const operation = account.operations.get(visit.reference)
  if (!isChallenged(operation)) return page(404, 'Nothing to confirm', nothing)
  const answer = answerOf(account, operation, visit)
  if (answer === null) return page(200, 'Confirm your payment', question(operation))
  const result = resultOf(operation.challenge, answer)
  settle(world, account, { ...operation, challenge: { ...operation.challenge, result } }, null)
  if (result === 'left') return page(200, 'You left', left)
  const url = operation.request?.return_url ?? null
  if (url === null) return page(200, 'Thank you', '<p>You can close this window.</p>')
  return { status: 303, headers: { location: returnAddress(url, operation) } }
}

function isChallenged(operation: Operation | undefined): operation is Challenged {
  return operation !== undefined && operation.challenge !== null
}

function answerOf({ config }: Account, { challenge }: Challenged, { auto, pressed }: Visit): Pressed | null {
  if (pressed === 'approve' || pressed === 'fail' || pressed === 'leave') return pressed
  if (!auto && config.challenge === 'page') return null
  return challenge.ends === 'leave' ? 'leave' : 'approve'
}

/** The payer may press what they like: a bank that refuses refuses. */
function resultOf({ ends }: Challenge, pressed: Pressed): NonNullable<Challenge['result']> {
  if (pressed === 'leave') return 'left'
  return pressed === 'fail' || ends === 'fail' ? 'failed' : 'passed'
}

function returnAddress(url: string, { reference, challenge }: Challenged): string {
  const address = new URL(url)
  address.searchParams.set('reference', reference)
  address.searchParams.set('challenge', challenge.secret)
  return address.href
}

const nothing = '<p>This confirmation is over, or there never was one.</p>'
const left = '<p>Nothing was confirmed. Until the time is over you can go back and choose again.</p>'

function question({ request, reference }: Challenged): string {
  const money = `${request?.amount} ${request?.currency.toUpperCase()} (minor units)`
  return `<p>A test payment of <strong>${escaped(money)}</strong>, reference <code>${escaped(reference)}</code>.</p>
<form method="post">
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
<title>${escaped(title)} · Test bank</title>
<style>
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { max-width: 28rem; margin: 4rem auto; padding: 0 1rem }
button { font: inherit; padding: .6rem 1.2rem; margin: 0 .4rem .4rem 0 }
code { overflow-wrap: anywhere }
</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
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

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
