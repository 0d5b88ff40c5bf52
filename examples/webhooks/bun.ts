// Bun. WEBHOOK_SECRET=whsec_... bun bun.ts

import { receive } from './handler.ts'

const handler = receive(process.env.WEBHOOK_SECRET)

// Bun starts a server from this default export.
export default {
  port: 4000,
  hostname: '127.0.0.1',
  fetch: (request: Request): Promise<Response> | Response =>
    request.method === 'POST' ? handler(request) : new Response(null, { status: 405 }),
}
