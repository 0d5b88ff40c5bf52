/** A shop for the measurements: one webhook receiver, one customer with a saved card. */
import { Client } from 'pg'
import { type Id, type Kind, uuidOf } from '../../packages/server/src/kernel/id.ts'
import { type Sink, startSink } from '../../packages/server/test/support/sink-process.ts'
import { charge, createSavedCard, type Send } from '../payer.ts'
import type { Clocks } from '../ratios/compare.ts'
import type { BenchEnvironment } from '../ratios/environment.ts'
import { requestText } from '../ratios/http-load.ts'
import { processMs, processTreeMs } from '../ratios/processor.ts'
import type { PaymentObjects } from './bare-payment.ts'

export type TestMerchant = {
  readonly sink: Sink
  readonly objects: PaymentObjects
  /** The bytes of the next `POST /payments`, each with a new idempotency key. */
  readonly request: () => string
  /** The processes whose CPU time is measured. */
  readonly clocks: Clocks
  close(): Promise<void>
}

/** Verify one request in this many. No run sends that many, so none is verified. */
const unreachableCount = 1_000_000_000

export async function createMerchant(bench: BenchEnvironment): Promise<TestMerchant> {
  const { postgres, server, simulator, workspace, folder, token } = bench
  const sink = await startSink(folder)
  await sink.verify({ every: unreachableCount })
  const send = createSender(bench)
  const endpoint = await send({
    method: 'POST',
    path: '/webhook-endpoints',
    body: { url: sink.url('/webhooks'), event_types: ['payment.*'] },
  })
  const method = await createSavedCard(send)
  const body = JSON.stringify(charge({ payment_method_id: method }))
  const headers = { authorization: `Bearer ${token}` }
  let requestCount = 0
  const [uuidOfMethod, uuidOfEndpoint] = [method, endpoint].map((id) => uuidOf(id as Id<Kind>))
  return {
    sink,
    objects: {
      workspace,
      ...(await readObjects(postgres.url, workspace)),
      method: uuidOfMethod as string,
      endpoint: uuidOfEndpoint as string,
    },
    request: () => {
      requestCount += 1
      const headersWithKey = { ...headers, 'idempotency-key': `payment-${requestCount}` }
      return requestText({ method: 'POST', path: '/payments', headers: headersWithKey, body })
    },
    clocks: {
      server: () => processMs(server.pid),
      postgres: () => processTreeMs(postgres.pid),
      simulator: () => processMs(simulator.process.pid),
      generator: () => processMs(process.pid),
    },
    close: () => sink.stop(),
  }
}

export function createSender({ port, token }: BenchEnvironment): Send {
  return async ({ method, path, body }) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const object = (await response.json()) as { id: string }
    if (!response.ok)
      throw new Error(`${method} ${path} returned ${response.status}: ${JSON.stringify(object)}`)
    return object.id
  }
}

async function readObjects(databaseUrl: string, workspace: string) {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query(
    `select (select id from provider_accounts where workspace_id = $1 order by position limit 1) as account,
      (select customer_id from payment_methods where workspace_id = $1 limit 1) as customer`,
    [workspace],
  )
  await client.end()
  return rows[0] as Pick<PaymentObjects, 'account' | 'customer'>
}
