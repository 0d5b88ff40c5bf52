// Deno. WEBHOOK_SECRET=whsec_... deno serve --allow-env --host 127.0.0.1 --port 4000 deno.ts

import process from 'node:process'
import { receive } from './handler.ts'

const handler = receive(process.env.WEBHOOK_SECRET)

export default {
  fetch: (request: Request): Promise<Response> | Response =>
    request.method === 'POST' ? handler(request) : new Response(null, { status: 405 }),
}
