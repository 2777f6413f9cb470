const { ok, snapshots } = await parley.budget.get();
console.log(ok, snapshots.map(({ periodKind }) => periodKind).join()); // true day,month

for await (const entry of parley.budget.entries({ periodKind: 'month' })) console.log(entry.kind, entry.amountCents);
