import type { WorkType } from '../../../deps.ts'
import { dueIn } from '../../../platform/db/due.ts'
import { listApiToken } from './service/directory.ts'
import { expireApiToken } from './service.ts'

export const expireApiTokens: WorkType<'api_token'> = {
  name: 'api_token.expire',
  objectKind: 'api_token',
  due: dueIn({ work: 'api_token.expire', kind: 'api_token', table: 'api_tokens', column: 'due_at' }),
  handle: expireApiToken,
}

/** Updates the directory if the process that changed the token has not updated it. */
export const listApiTokensInDirectory: WorkType<'api_token'> = {
  name: 'api_token.list',
  objectKind: 'api_token',
  due: dueIn({ work: 'api_token.list', kind: 'api_token', table: 'api_tokens', column: 'directory_due_at' }),
  handle: listApiToken,
}
