/** A shop that takes payments: one receiver of its webhooks, one customer whose card was kept. */
import { Client } from 'pg'
import { type Id, type Kind, uuidOf } from '../../packages/server/src/kernel/id.ts'
import { type Sink, startSink } from '../../packages/server/test/support/sink-process.ts'
import { charge, keptCard, type Send } from '../payer.ts'
import type { Clocks } from '../ratios/compare.ts'
import { requestText } from '../ratios/http-load.ts'
import { familyMs, processMs } from '../ratios/processor.ts'
import type { Stage } from '../ratios/stage.ts'
import type { Parties } from './bare-payment.ts'

export type Shop = {
  readonly sink: Sink
  readonly parties: Parties
  /** The bytes of the next `POST /payments`, each with a key of its own. */
  readonly request: () => string
  /** Whose processor time is looked at. */
  readonly clocks: Clocks
  close(): Promise<void>
}

/** More than any run makes. */
const never = 1_000_000_000

export async function openShop(stage: Stage): Promise<Shop> {
  const { postgres, server, simulator, workspace, folder, token } = stage
  const sink = await startSink(folder)
  await sink.verify({ every: never })
  const send = sender(stage)
  const endpoint = await send({
    ...{ method: 'POST', path: '/webhook-endpoints' },
    body: { url: sink.url('/webhooks'), event_types: ['payment.*'] },
  })
  const method = await keptCard(send)
  const body = JSON.stringify(charge({ payment_method_id: method }))
  const headers = { authorization: `Bearer ${token}` }
  let keys = 0
  const [uuidOfMethod, uuidOfEndpoint] = [method, endpoint].map((id) => uuidOf(id as Id<Kind>))
  return {
    sink,
    parties: {
      workspace,
      ...(await readParties(postgres.url, workspace)),
      method: uuidOfMethod as string,
      endpoint: uuidOfEndpoint as string,
    },
    request: () => {
      keys += 1
      const own = { ...headers, 'idempotency-key': `payment-${keys}` }
      return requestText({ method: 'POST', path: '/payments', headers: own, body })
    },
    clocks: {
      server: () => processMs(server.pid),
      postgres: () => familyMs(postgres.pid),
      simulator: () => processMs(simulator.process.pid),
      generator: () => processMs(process.pid),
    },
    close: () => sink.stop(),
  }
}

function sender({ port, token }: Stage): Send {
  return async ({ method, path, body }) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const received = (await answer.json()) as { id: string }
    if (!answer.ok)
      throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(received)}`)
    return received.id
  }
}

async function readParties(databaseUrl: string, workspace: string) {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query(
    `select (select id from provider_accounts where workspace_id = $1 order by position limit 1) as account,
      (select customer_id from payment_methods where workspace_id = $1 limit 1) as customer`,
    [workspace],
  )
  await client.end()
  return rows[0] as Pick<Parties, 'account' | 'customer'>
}
