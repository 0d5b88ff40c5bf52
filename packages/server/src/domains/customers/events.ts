import { defineEvent } from '../../platform/db/events.ts'
import { nothingKnown } from './customer.ts'
import { CustomerObject, present } from './schema.ts'

export const customerCreated = defineEvent({
  type: 'customer.created',
  about: 'A customer was created.',
  schema: CustomerObject,
  present,
})

export const customerUpdated = defineEvent({
  type: 'customer.updated',
  about: 'Something about a customer changed; `previous` holds what it was.',
  schema: CustomerObject,
  present,
  example: { before: { email: null, metadata: {} } },
})

const { taxIds: tax_ids, ...members } = nothingKnown

export const customerDeleted = defineEvent({
  type: 'customer.deleted',
  about: 'A customer was deleted. The object is empty but for its id.',
  schema: CustomerObject,
  present,
  example: { object: { ...members, tax_ids } },
})
