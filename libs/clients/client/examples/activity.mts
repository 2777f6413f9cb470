await parley.conversations.create({ title: 'Savings' });

const { active, recent, history } = await parley.activity.get({ recentLimit: 5 });
console.log(active.data.length, recent.data.map(({ title }) => title).join(), history.data.length); // 0 Savings …
