import { type Bench, figureText, isMet } from './bench-result.ts'

/** `node test/bench/main.ts [name…]` runs the named benchmarks, or all, and exits 1 when one misses a target. */
const benches: Record<string, () => Promise<Bench>> = {
  analytics: () => import('./analytics.ts'),
  charts: () => import('./charts.ts'),
  'dnc-check': () => import('./dnc-check.ts'),
  events: () => import('./events.ts'),
  flood: () => import('./flood.ts'),
  idle: () => import('./idle.ts'),
  import: () => import('./import.ts'),
  listener: () => import('./listener.ts'),
  outbox: () => import('./outbox.ts'),
  pages: () => import('./pages.ts'),
  relay: () => import('./relay.ts'),
  renderer: () => import('./renderer.ts'),
  sandbox: () => import('./sandbox.ts'),
  search: () => import('./search.ts'),
  sheets: () => import('./sheets.ts'),
  start: () => import('./start.ts'),
  strain: () => import('./strain.ts'),
  switch: () => import('./switch.ts'),
  team: () => import('./team.ts'),
}

const names = process.argv.slice(2)
const unknown = names.filter((name) => !(name in benches))
if (unknown.length > 0) {
  console.error(`No benchmark named ${unknown.join(', ')}. Available: ${Object.keys(benches).join(', ')}.`)
  process.exit(2)
}

let missed = 0
for (const name of names.length > 0 ? names : Object.keys(benches)) {
  const { run } = await benches[name]!()
  const result = await run()
  console.log(`\n${result.name}`)
  for (const line of result.lines) console.log(`  ${line}`)
  for (const target of result.targets) {
    const met = isMet(target)
    if (!met) missed++
    console.log(`  ${met ? 'met   ' : 'MISSED'} ${figureText(target)}`)
  }
}
process.exit(missed > 0 ? 1 : 0)
