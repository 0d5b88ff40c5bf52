// Fastify 5. WEBHOOK_SECRET=whsec_... node fastify.ts

import { toFastifyHandler } from '@switchyard/sdk/node'
import fastify from 'fastify'
import { receive } from './handler.ts'

export const app = fastify()

// In a scope of its own, where bodies stay as they came: `webhook-signature` covers them so.
app.register(async (scope) => {
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  )
  scope.post('/webhooks', toFastifyHandler(receive(process.env.WEBHOOK_SECRET)))
})

if (import.meta.main) await app.listen({ host: '127.0.0.1', port: 4000 })
