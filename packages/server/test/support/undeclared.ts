// Every refusal of a test run is one that its operation declares, and every failure one of the catalogue:
// else the OpenAPI document and the SDK would promise less than callers meet.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { refusalsOf } from '../../src/platform/http/openapi.ts'

/**
 * Watches a server that does not listen yet. The list grows by a sentence for each answer that should not
 * have been given; it is to be empty at the end of a test.
 */
export function watchUndeclared(app: FastifyInstance): readonly string[] {
  const found: string[] = []
  // Before the answer leaves, so that a test that has it also has this.
  app.addHook('onSend', async (request, reply) => {
    const fault = faultOf(request, reply.statusCode)
    if (fault !== null) found.push(fault)
  })
  return found
}

function faultOf(request: FastifyRequest, status: number): string | null {
  const { operation } = request.routeOptions.config
  const code = request.progress.errorCode
  if (status < 400) return null
  const where = operation?.id ?? `${request.method} ${request.url}`
  if (code === null) return `${where} answered ${status} without a code of the catalogue.`
  if (operation === undefined || (refusalsOf(operation) as string[]).includes(code)) return null
  return `${where} refused with ${code}, which it does not declare. Add it to its \`refuses\`.`
}
