/** Compares `POST /customers` with writing the same rows with `pg` only. */
import { loadSql } from './bare-sql.ts'
import { type Rounds, runInTurns, type Variant } from './compare.ts'
import type { Effort } from './effort.ts'
import type { BenchEnvironment } from './environment.ts'
import { loadHttp, requestText } from './http-load.ts'
import { processMs, processTreeMs } from './processor.ts'

const body = JSON.stringify({ name: 'Ada Lovelace', email: 'ada@example.com', metadata: { order: '1815' } })

export async function measurePostCustomers(bench: BenchEnvironment, effort: Effort): Promise<Rounds> {
  const { port, token, workspace, server, postgres } = bench
  const authorization = `Bearer ${token}`
  let keyCount = 0
  const post = (withKey: boolean) => () =>
    requestText({
      method: 'POST',
      path: '/customers',
      headers: { authorization, ...(withKey ? { 'idempotency-key': `key-${keyCount++}` } : {}) },
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
  return runInTurns({
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
      postgres: () => processTreeMs(postgres.pid),
      generator: () => processMs(process.pid),
    },
  })
}
