// Checks that every error during a test is declared by its operation and is in the catalogue. Otherwise the
// OpenAPI document and the SDK would be incomplete.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { errorCodesOf } from '../../src/platform/http/openapi-problems.ts'

/**
 * Call this before the server listens. Returns a list with a sentence for each undeclared error; it must be
 * empty at the end of a test.
 */
export function collectUndeclaredErrors(app: FastifyInstance): readonly string[] {
  const problems: string[] = []
  // Record the error before the response is sent, so that it is there when a test receives the response.
  app.addHook('onSend', async (request, reply) => {
    const problem = findProblem(request, reply.statusCode)
    if (problem !== null) problems.push(problem)
  })
  return problems
}

function findProblem(request: FastifyRequest, status: number): string | null {
  const { operation } = request.routeOptions.config
  const code = request.state.errorCode
  if (status < 400) return null
  const operationName = operation?.id ?? `${request.method} ${request.url}`
  if (code === null) return `${operationName} responded with ${status} without a code of the catalogue.`
  if (operation === undefined || (errorCodesOf(operation) as string[]).includes(code)) return null
  return `${operationName} refused with ${code}, which it does not declare. Add it to its \`errors\`.`
}
