/**
 * What a process that a test starts takes over from the run: where programs are, and what the processes before it
 * have read of the code, so that dozens of them do not read it anew. All else is told to it, or it knows it not.
 */
export const inherited: Record<string, string> = Object.fromEntries(
  ['PATH', 'NODE_COMPILE_CACHE'].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  }),
)
