/** `POST /customers` beside the same rows by `pg` alone. */
import { loadSql } from './bare-sql.ts'
import { type Rounds, takeTurns, type Variant } from './compare.ts'
import { loadHttp, requestText } from './http-load.ts'
import type { Effort } from './measurement.ts'
import { familyMs, processMs } from './processor.ts'
import type { Stage } from './stage.ts'

const body = JSON.stringify({ name: 'Ada Lovelace', email: 'ada@example.com', metadata: { order: '1815' } })

export async function measurePostCustomers(stage: Stage, effort: Effort): Promise<Rounds> {
  const { port, token, workspace, server, postgres } = stage
  const authorization = `Bearer ${token}`
  let keys = 0
  const post = (withKey: boolean) => () =>
    requestText({
      method: 'POST',
      path: '/customers',
      headers: { authorization, ...(withKey ? { 'idempotency-key': `key-${keys++}` } : {}) },
      body,
    })
  const overHttp = (name: string, withKey: boolean): Variant => ({
    name,
    run: (forMs) => loadHttp({ port, connections: effort.connections, forMs, request: post(withKey) }),
  })
  const bySql = (write: Parameters<typeof loadSql>[0]['write']): Variant => ({
    name: `pg: ${write}`,
    run: (forMs) => loadSql({ url: postgres.url, workspace, connections: 16, forMs, write }),
  })
  return takeTurns({
    variants: [
      overHttp('POST /customers', false),
      bySql('customer and event'),
      bySql('one row'),
      overHttp('POST /customers, with a key', true),
      bySql('customer, event and key'),
    ],
    ...effort,
    clocks: {
      server: () => processMs(server.pid),
      postgres: () => familyMs(postgres.pid),
      generator: () => processMs(process.pid),
    },
  })
}
