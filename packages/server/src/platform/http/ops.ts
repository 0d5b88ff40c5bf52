/** The listener for operators: liveness, readiness and metrics. On loopback by default. */
import Fastify, { type FastifyInstance } from 'fastify'
import { type Metrics, readMetrics } from '../metrics.ts'

export type Readiness = {
  readonly ready: boolean
  /** The reasons why the process is not ready or degraded, for operators. */
  readonly notes: readonly string[]
}

export function createOps(metrics: Metrics, readiness: () => Promise<Readiness>): FastifyInstance {
  const app = Fastify({ logger: false })
  app.get('/healthz', async () => ({ status: 'alive' }))
  app.get('/readyz', async (_, reply) => {
    const { ready, notes } = await readiness()
    return reply.code(ready ? 200 : 503).send({ status: statusOf(ready, notes), notes })
  })
  app.get('/metrics', async (_, reply) =>
    reply.type(metrics.registry.contentType).send(await readMetrics(metrics)),
  )
  return app
}

function statusOf(ready: boolean, notes: readonly string[]): string {
  if (!ready) return 'not ready'
  return notes.length === 0 ? 'ready' : 'degraded'
}
