import { createHash } from 'node:crypto'
import type { Deps } from '../../../deps.ts'
import { operation } from '../../../platform/http/operation.ts'
import { maxFileBytes } from './file.ts'
import { CreateFile, FileObject, FilePath, present } from './schema.ts'
import { createFile, getFile } from './service.ts'

export const fileOperations = (deps: Deps) => [
  operation({
    id: 'files.create',
    method: 'POST',
    path: '/files',
    summary: 'Upload a file',
    description:
      'Uploads a PDF, JPEG or PNG file of up to 5 MB. Attach it to a dispute with `PUT /disputes/{dispute_id}`; otherwise it is deleted after 7 days. The content is stored encrypted and cannot be downloaded.',
    body: CreateFile,
    maxBodyBytes: Math.ceil(maxFileBytes / 3) * 4 + 4_096,
    bodyForIdempotency: ({ content, ...members }) => ({
      ...members,
      content: createHash('sha256').update(content).digest('hex'),
    }),
    status: 201,
    response: FileObject,
    present,
    handle: ({ caller, body }) => createFile(deps, caller, body),
  }),
  operation({
    id: 'files.get',
    method: 'GET',
    path: '/files/:file_id',
    summary: 'Get a file',
    description: 'Returns the name, type and size of a file, without its content. Deleted files return 404.',
    params: FilePath,
    response: FileObject,
    errors: ['not_found'],
    present,
    handle: ({ caller, params }) => getFile(deps, caller, params.file_id),
  }),
]
