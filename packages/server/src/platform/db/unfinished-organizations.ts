/**
 * Removes organizations and workspaces whose creation was interrupted. Their tokens were never shown, and no one can sign
 * in, so only the control plane is cleaned up: an abandoned workspace stays, and cannot be used.
 */

type Statement = (text: string) => Promise<{ readonly rowCount: number | null }>

const isAbandoned = `state = 'creating' and created_at < now() - interval '1 hour'`

export async function deleteUnfinishedOrganizations(statement: Statement): Promise<void> {
  await statement(`
    with organization as (
      delete from control.organizations where ${isAbandoned} returning id
    ), workspace as (
      delete from control.workspaces
      where (${isAbandoned}) or organization_id in (select id from organization) returning id
    ), listed as (
      delete from control.api_tokens where workspace_id in (select id from workspace)
    )
    delete from control.api_token_secrets where workspace_id in (select id from workspace)`)
}
