/** The active API tokens that a person created in this workspace, which will be revoked. */
import type { ApiToken, Person } from '@switchyard/sdk'
import { useObject } from '../../../api/queries.ts'
import { Loaded } from '../../../ui/states.tsx'

const maxTokens = 1_000

export function CreatedTokens({ person }: { person: Person }) {
  const tokens = useObject<ApiToken[]>(['person', person.id, 'api tokens'], async (api) => {
    const all = await api.apiTokens.list({ limit: 100 }).all({ max: maxTokens })
    return all.filter((token) => token.created_by_person_id === person.id && token.status === 'active')
  })
  return (
    <Loaded query={tokens}>
      {(created) => (
        <section aria-label="API tokens to be revoked" className="grid gap-1">
          <p>
            {created.length === 0
              ? 'This person created no active API tokens in this workspace.'
              : 'These API tokens of this workspace stop working. Replace them first if a server uses them:'}
          </p>
          {created.length > 0 && (
            <ul className="grid gap-1 pl-4">
              {created.map(({ id, name, hint }) => (
                <li key={id} className="list-disc">
                  {name} <span className="font-mono text-compact text-ink2">{hint}</span>
                </li>
              ))}
            </ul>
          )}
          <p className="text-compact text-ink2">
            Tokens they created in other workspaces of the organization are revoked too.
          </p>
        </section>
      )}
    </Loaded>
  )
}
