import * as z from 'zod'

// The page's policy refuses generated code, and zod asks for it by trying: each start would break the policy once.
// Schemas read this when they are made, so it comes before all of them.
z.config({ jitless: true })
