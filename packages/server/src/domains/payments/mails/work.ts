import type { WorkType } from '../../../deps.ts'
import { dueIn } from '../../../platform/db/due.ts'
import { sendMail } from './service.ts'

export const sendMails: WorkType<'mail'> = {
  name: 'mail.send',
  objectKind: 'mail',
  due: dueIn({ work: 'mail.send', kind: 'mail', table: 'mails', column: 'due_at' }),
  handle: sendMail,
}
