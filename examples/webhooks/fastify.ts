// Fastify 5. WEBHOOK_SECRET=whsec_... node fastify.ts

import { toFastifyHandler } from '@switchyard/sdk/node'
import fastify from 'fastify'
import { receive } from './handler.ts'

export const app = fastify()

// A separate scope with a raw body parser, because `webhook-signature` covers the raw bytes.
app.register(async (scope) => {
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  )
  scope.post('/webhooks', toFastifyHandler(receive(process.env.WEBHOOK_SECRET)))
})

if (import.meta.main) await app.listen({ host: '127.0.0.1', port: 4000 })
