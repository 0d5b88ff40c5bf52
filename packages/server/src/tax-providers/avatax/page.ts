/** The documentation on which the connector is based. */
import type { TaxProvider } from '../contract.ts'

export const page: TaxProvider['page'] = {
  sources: [
    {
      fact: 'CreateOrAdjustTransaction is idempotent: if a transaction with the code exists, it is adjusted. A SalesOrder is an estimate that is not recorded.',
      url: 'https://rdoc.info/github/avadev/AvaTax-REST-V2-Ruby-SDK/AvaTax/Client/Transactions',
      date: '2026-11-18',
    },
    {
      fact: 'A transaction that was reported to an authority cannot be adjusted: CannotModifyLockedTransaction.',
      url: 'https://rdoc.info/github/avadev/AvaTax-REST-V2-Ruby-SDK/AvaTax/Client/Transactions',
      date: '2026-11-18',
    },
    {
      fact: 'A committed transaction is reported. A transaction is identified by company code, code and document type.',
      url: 'https://www.rubydoc.info/github/avadev/AvaTax-REST-V2-Ruby-SDK/AvaTax%2FClient%2FTransactions:commit_transaction',
      date: '2026-11-18',
    },
    {
      fact: 'A return is a transaction of the type ReturnInvoice, with negative amounts and negative tax.',
      url: 'https://educative.io/courses/calculating-sales-tax-using-avalara-avatax-api-in-python/transaction-creation-and-lifecycle',
      date: '2026-11-18',
    },
    {
      fact: 'The address of the sandbox, and the members of a request.',
      url: 'https://educative.io/courses/calculating-sales-tax-using-avalara-avatax-api-in-python/settling-transactions',
      date: '2026-11-18',
    },
  ],
  unverified: [
    'Which tax categories apply to lines without tax outside of the United States. A line without tax has the category O, or E if the customer is exempt.',
    'The exact error for a code that is adjusted concurrently. Calls that fail with a server error or a rate limit are repeated.',
  ],
}
