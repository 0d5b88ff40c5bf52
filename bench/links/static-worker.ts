// The same bytes with nothing around them: a route of Fastify for the page and one for what it asks for, both from
// memory. A process of its own, as the service is. Says `ready` when it listens.

import { readFileSync } from 'node:fs'
import Fastify from 'fastify'

const [port, pageFile = '', linkFile = ''] = process.argv.slice(2)
const [page, link] = [readFileSync(pageFile), readFileSync(linkFile)]
const app = Fastify({ logger: false })

app.get('/l/:slug', async (_, reply) =>
  reply.type('text/html; charset=utf-8').header('content-encoding', 'br').send(page),
)
app.get('/checkout/links/:slug', async (_, reply) => reply.type('application/json').send(link))

await app.listen({ host: '127.0.0.1', port: Number(port) })
console.log('ready')
