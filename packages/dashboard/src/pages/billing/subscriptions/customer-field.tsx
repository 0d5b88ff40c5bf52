/** A field that selects a customer: one of the newest, or one found by email address. */
import { useState } from 'react'
import { useObject } from '../../../api/queries.ts'
import { useDebounced } from '../../../ui/debounced.ts'
import { SelectField, TextField } from '../../../ui/fields.tsx'
import { customerName } from '../names.tsx'

const maxCustomers = 50

export function CustomerField(props: { value: string; onChange: (id: string) => void; pointer: string }) {
  const [email, setEmail] = useState('')
  const debouncedEmail = useDebounced(email.trim())
  const { data = [] } = useObject(['customer', 'options', debouncedEmail], (api) =>
    api.customers
      .list(debouncedEmail.includes('@') ? { email: debouncedEmail } : {})
      .all({ max: maxCustomers }),
  )
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <SelectField
        label="Customer"
        value={props.value}
        onChange={props.onChange}
        options={[
          { value: '', text: 'Choose a customer' },
          ...data.map((customer) => ({
            value: customer.id,
            text: `${customerName(customer)}${customer.test_clock_id === null ? '' : ' (test clock)'}`,
          })),
        ]}
        pointer={props.pointer}
      />
      <TextField
        label="Find by email"
        type="email"
        value={email}
        onChange={setEmail}
        hint={`Leave empty to list the newest ${maxCustomers}.`}
      />
    </div>
  )
}
