// Every runtime has to verify webhooks, call the API and stream events. This program is bundled into one
// file and run unchanged by Node.js, a sandbox, a browser, Bun, Deno and workerd, against a real server.

import {
  type SignedWebhook,
  Switchyard,
  type VerifyWebhook,
  verifyWebhook,
  type WebhookVerificationError,
} from '../../src/index.ts'

export type ProbeInput = {
  readonly baseUrl: string
  readonly token: string
  readonly secret: string
  readonly webhook: SignedWebhook
  /** The published vectors. `at` is the time of the attempt. */
  readonly vectors: readonly VectorText[]
}

type VectorText = SignedWebhook & {
  readonly name: string
  readonly secrets: readonly string[]
  readonly at: string
  /** Whether it has a Standard Webhooks signature. A secret that is not base64 has none. */
  readonly isStandard: boolean
  readonly outcome: string
}

export type ProbeResult = {
  /** Vectors with an unexpected result, raw and parsed. */
  readonly failed: readonly string[]
  readonly verified: string
  readonly refused: string
  readonly created: string | null
  readonly listed: string | null
  readonly streamed: string
  readonly thrown: string
}

export async function probe({ baseUrl, token, secret, webhook, vectors }: ProbeInput): Promise<ProbeResult> {
  const { body, headers } = webhook
  const { content } = await verifyWebhook({ body: new TextEncoder().encode(body), headers, secret })
  const refused = await outcomeOf({ body: body.replace('ada@', 'eve@'), headers, secret })
  const sy = new Switchyard({ token, baseUrl })
  const customer = await sy.customers.create({ email: 'ada@example.com' })
  const [first] = await sy.customers.list({ email: 'ada@example.com' }).all({ max: 1 })
  const thrown = await sy.customers.create({ email: 'nobody' }).then(
    () => 'nothing',
    (error: Error) => error.name,
  )
  return {
    failed: (await Promise.all(vectors.map(failuresOf))).flat(),
    verified: content.type,
    refused,
    created: customer.email,
    listed: first?.email ?? null,
    streamed: await firstEventType(sy, customer.id),
    thrown,
  }
}

async function failuresOf(vector: VectorText): Promise<string[]> {
  const { name, headers, secrets, at, isStandard, outcome } = vector
  const forms = {
    raw: { body: vector.body, signatureDigestOnly: !isStandard },
    // Only `signature-digest` can be verified for a body that is already parsed.
    parsed: { body: JSON.parse(vector.body), signatureDigestOnly: true },
  }
  const outcomes = Object.entries(forms).map(async ([form, body]) => {
    const actual = await outcomeOf({ ...body, headers, secret: secrets, now: new Date(at) })
    return actual === outcome ? [] : [`${name}, ${form}: ${actual}`]
  })
  return (await Promise.all(outcomes)).flat()
}

/** The reason for the rejection, or the type of the event. */
function outcomeOf(webhook: VerifyWebhook): Promise<string> {
  return verifyWebhook(webhook).then(
    ({ type }) => type,
    (error: WebhookVerificationError) => error.reason,
  )
}

/** The type of the first event about the object. */
async function firstEventType(sy: Switchyard, id: string): Promise<string> {
  for await (const event of sy.events.stream({ since: new Date(Date.now() - 60_000) }))
    if (event.content.object.id === id) return event.type
  return 'nothing'
}

export const expected: ProbeResult = {
  failed: [],
  verified: 'customer.created',
  refused: 'no_match',
  created: 'ada@example.com',
  listed: 'ada@example.com',
  streamed: 'customer.created',
  thrown: 'InvalidRequestError',
}
