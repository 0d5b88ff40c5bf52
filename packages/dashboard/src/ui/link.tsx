/** Links between pages of the workspace. `to` is the path below the workspace. */
import { Link, useNavigate } from '@tanstack/react-router'
import type { ComponentProps, ReactNode } from 'react'
import { useWorkspace } from '../api/workspace.tsx'

type Search = { readonly [name: string]: string | undefined }

export type PageLinkProps = {
  /** '/payments/payment_test_…'; '' is home. */
  to: string
  search?: Search
  children: ReactNode
  className?: string
} & Omit<ComponentProps<'a'>, 'href'>

const underlined = 'text-info underline underline-offset-2 hover:no-underline'

export function PageLink({ to, search, children, className = underlined, ...rest }: PageLinkProps) {
  const { workspace } = useWorkspace()
  return (
    <Link
      to={`/${workspace.id}${to}`}
      search={(search ?? {}) as never}
      className={className}
      {...(rest as object)}
    >
      {children}
    </Link>
  )
}

export function useOpenPage(): (to: string, search?: Search) => void {
  const navigate = useNavigate()
  const { workspace } = useWorkspace()
  return (to, search) => void navigate({ to: `/${workspace.id}${to}`, search: (search ?? {}) as never })
}

export function ExternalLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <a href={href} target="_blank" rel="noreferrer" className={underlined}>
      {children}
    </a>
  )
}
