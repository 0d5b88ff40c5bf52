// The baseline of `GET /events/{id}`: a bare Fastify route with the same statement and the same serializer, in a separate
// process like the server. Prints `ready` when it is listening.

import Fastify from 'fastify'
import { Pool } from 'pg'
import { EventObject } from '../../packages/server/src/domains/webhooks/events/schema.ts'

const [url, workspace] = process.argv.slice(2)
const pool = new Pool({ connectionString: url, max: 16 })
const app = Fastify({ logger: false })

app.get<{ Params: { event_id: string } }>(
  '/events/:event_id',
  { schema: { response: { 200: EventObject } } },
  async ({ params }) => {
    const { rows } = await pool.query({
      name: 'find event',
      text: `select id, type, api_version, created_at, data, (
          select count(delivery.id)::int from deliveries as delivery
          where delivery.workspace_id = events.workspace_id and delivery.event_id = events.id
            and delivery.id >= (left(events.id::text, 19) || '0000-000000000000')::uuid
            and delivery.id <= (left(events.id::text, 19) || 'ffff-ffffffffffff')::uuid
            and delivery.state in ('pending', 'held')) as pending_deliveries
        from events where workspace_id = $1 and id = $2`,
      values: [workspace, params.event_id],
    })
    const [row] = rows
    return { ...row, object: 'event', created_at: row.created_at.toISOString() }
  },
)

await app.listen({ host: '127.0.0.1', port: Number(process.argv[4]) })
console.log('ready')
