// What every runtime has to be able to do with the package: verify, call and follow. Bundled into one file, it is
// run as it is by Node, a sandbox, a browser, Bun, Deno and workerd, against a real server.

import {
  type SignedWebhook,
  Switchyard,
  type VerifyWebhook,
  verifyWebhook,
  type WebhookVerificationError,
} from '../../src/index.ts'

export type Given = {
  readonly baseUrl: string
  readonly token: string
  readonly secret: string
  readonly webhook: SignedWebhook
  /** The published vectors. `at` is when the attempt was made. */
  readonly vectors: readonly VectorText[]
}

type VectorText = SignedWebhook & {
  readonly name: string
  readonly secrets: readonly string[]
  readonly at: string
  readonly outcome: string
}

export type Proved = {
  /** Vectors that did not end as they should, raw and parsed. */
  readonly failed: readonly string[]
  readonly verified: string
  readonly refused: string
  readonly created: string | null
  readonly listed: string | null
  readonly streamed: string
  readonly thrown: string
}

export async function probe({ baseUrl, token, secret, webhook, vectors }: Given): Promise<Proved> {
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
    streamed: await followed(sy, customer.id),
    thrown,
  }
}

async function failuresOf({ name, body, headers, secrets, at, outcome }: VectorText): Promise<string[]> {
  const forms = { raw: body, parsed: JSON.parse(body) }
  const outcomes = Object.entries(forms).map(async ([form, one]) => {
    const found = await outcomeOf({ body: one, headers, secret: secrets, now: new Date(at) })
    return found === outcome ? [] : [`${name}, ${form}: ${found}`]
  })
  return (await Promise.all(outcomes)).flat()
}

/** The reason of the refusal, or the type of the event. */
function outcomeOf(webhook: VerifyWebhook): Promise<string> {
  return verifyWebhook(webhook).then(
    ({ type }) => type,
    (error: WebhookVerificationError) => error.reason,
  )
}

/** The type of the first event that tells of the object. */
async function followed(sy: Switchyard, id: string): Promise<string> {
  for await (const event of sy.events.stream({ since: new Date(Date.now() - 60_000) }))
    if (event.content.object.id === id) return event.type
  return 'nothing'
}

export const expected: Proved = {
  failed: [],
  verified: 'customer.created',
  refused: 'no_match',
  created: 'ada@example.com',
  listed: 'ada@example.com',
  streamed: 'customer.created',
  thrown: 'InvalidRequestError',
}
