import { defineEvent } from '../../../platform/db/events.ts'
import { emptyDetails } from './customer.ts'
import { CustomerObject, present } from './schema.ts'

export const customerCreated = defineEvent({
  type: 'customer.created',
  about: 'A customer was created.',
  schema: CustomerObject,
  present,
})

export const customerUpdated = defineEvent({
  type: 'customer.updated',
  about: 'A customer was updated. `previous` contains the old values.',
  schema: CustomerObject,
  present,
  example: { before: { email: null, metadata: {} } },
})

const {
  taxIds: tax_ids,
  taxExempt: tax_exempt,
  electronicAddress: electronic_address,
  buyerReference: buyer_reference,
  ...members
} = emptyDetails

export const customerDeleted = defineEvent({
  type: 'customer.deleted',
  about: 'A customer was deleted. The object no longer contains personal data.',
  schema: CustomerObject,
  present,
  example: {
    object: { ...members, email_status: null, tax_ids, tax_exempt, electronic_address, buyer_reference },
  },
})
