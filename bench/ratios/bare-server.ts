// `GET /events/{id}` with nothing around it: a route of Fastify, the same statement, the same serializer. A
// process of its own, as the service is. Prints its port when it listens.

import Fastify from 'fastify'
import { Pool } from 'pg'
import { EventObject } from '../../packages/server/src/domains/events/schema.ts'

const [url, workspace] = process.argv.slice(2)
const pool = new Pool({ connectionString: url, max: 16 })
const app = Fastify({ logger: false })

app.get<{ Params: { event_id: string } }>(
  '/events/:event_id',
  { schema: { response: { 200: EventObject } } },
  async ({ params }) => {
    const { rows } = await pool.query({
      name: 'find event',
      text: 'select id, type, api_version, created_at, data from events where workspace_id = $1 and id = $2',
      values: [workspace, params.event_id],
    })
    const [row] = rows
    return { ...row, object: 'event', created_at: row.created_at.toISOString() }
  },
)

await app.listen({ host: '127.0.0.1', port: Number(process.argv[4]) })
console.log('ready')
